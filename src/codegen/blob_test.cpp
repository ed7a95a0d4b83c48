// Compiled code runs in a process that has no LLVM: writes a blob to a file and lets test/blob_run map and run it.
#include "base/file.h"
#include "codegen/kernel_case.h"
#include <gtest/gtest.h>
#include <unistd.h>

namespace nereus::test {
static std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen(command.c_str(), "r");
    for (int c; pipe && (c = std::fgetc(pipe)) != EOF;) text += char(c);
    if (pipe) ::pclose(pipe);
    return text;
}
static std::string beside_this_binary(const std::string& name) {
    char path[4096];
    ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
    std::string self(path, n > 0 ? size_t(n) : 0);
    return self.substr(0, self.rfind('/') + 1) + name;
}

TEST(Blob, RunsInAProcessWithoutLlvm) {
    std::string runner = beside_this_binary("blob_run");
    EXPECT_NE(output_of("ldd " + runner).find("libc"), std::string::npos);
    EXPECT_EQ(output_of("ldd " + runner).find("LLVM"), std::string::npos);
    loop::Function f = parsed("kernel add(a: f32, b: f32, y: out f32) { parallel g; y[g] = add(a[g], b[g]) }");
    for (const Target& target : targets()) {
        loop::Scheduled scheduled = *schedule(f, target.machine);
        MachineCode code = *codegen(std::span(&scheduled, 1), target);
        Dims extents = {37}, strides = {1, 1, 1};
        GroupShape shape{extents, strides};
        int32_t rank = 1;
        Dims p(size_t(param_slots(scheduled.params, {&rank, 1})));
        p.resize(size_t(fill_params(scheduled.params, {&shape, 1}, {}, p)));
        Dims words = {int64_t(code.entries[0]), int64_t(p.size())};
        words.insert(words.end(), p.begin(), p.end());
        Bytes file = bytes_of(words);
        file.insert(file.end(), code.blob.begin(), code.blob.end());
        std::string path = testing::TempDir() + "/nereus_blob_" + std::to_string(::getpid());
        ASSERT_TRUE(write_file(path, file));
        std::string expected;
        for (int i = 0; i < 37; ++i) expected += std::to_string(i) + ".5 ";
        EXPECT_EQ(output_of(runner + " " + path + " 37"), expected) << target.name;
        ::unlink(path.c_str());
    }
}
} // namespace nereus::test
