#include "cli/child_process.h"
#include "base/file.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereus {
Status run_child(std::vector<std::string> words, const std::string& said) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 2, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const int wrong = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (wrong) return Error{Code::io, "cannot run " + words[0]};
    int status = 0;
    ::waitpid(child, &status, 0);
    const std::string name = words[0].substr(words[0].rfind('/') + 1);
    if (WIFSIGNALED(status))
        return Error{Code::internal, name + " ended by signal " + std::to_string(WTERMSIG(status))};
    if (WEXITSTATUS(status)) return Error{Code::value, name + ": " + TRY(read_file(said))};
    return {};
}
} // namespace nereus
