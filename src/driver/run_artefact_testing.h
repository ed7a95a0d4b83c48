// driver/run_artefact_testing.h - what nereus-run makes of an artefact, for the tests that run whole programs.
#pragma once
#include "driver/random_inputs_testing.h"
#include "value/json.h"
#include <filesystem>
#include <unistd.h>

namespace nereus {
inline std::string json_object(std::span<const Field> fields) {
    std::string out;
    for (const Field& field : fields) {
        out += out.empty() ? "{" : ", ";
        append_json_string(out, field.name);
        out += ": " + to_json(field.value);
    }
    return out.empty() ? "{}" : out + "}";
}

// What the runtime-only program prints for these inputs, as JSON.
inline std::string run_artefact(std::span<const std::byte> artefact, const std::string& inputs) {
    std::filesystem::path folder = std::filesystem::temp_directory_path() / ("run_artefact" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    EXPECT_TRUE(write_file((folder / "p.nrx").string(), artefact));
    EXPECT_TRUE(write_file((folder / "in.json").string(), inputs));
    std::string command = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "nereus-run").string() + " " +
                          (folder / "p.nrx").string() + " --json --inputs " + (folder / "in.json").string() + " 2>/dev/null";
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::string out;
    char part[4096];
    for (size_t n; pipe && (n = std::fread(part, 1, sizeof part, pipe.get())) > 0;) out.append(part, n);
    std::filesystem::remove_all(folder);
    return out;
}
} // namespace nereus
