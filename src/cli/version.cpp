#include "cli/commands.h"
#include "exe/artefact.h"
#include <cstdio>

namespace nereus {
int version_command(Words words) {
    const FlagSpec flags[] = {{"json", false, "for programs"}, {"help", false, "this text"}};
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs(("nereus version\nPrints the versions of Nereus and of the artefacts it reads and writes.\n\n" + flags_help(flags)).c_str(), stdout);
        return 0;
    }
    if (arguments->has("json"))
        std::printf("{\"nereus\": \"%s\", \"artefact\": %u, \"llvm\": 19}\n", NEREUS_VERSION, artefact_version);
    else
        std::printf("nereus %s (artefact version %u)\n", NEREUS_VERSION, artefact_version);
    return 0;
}
} // namespace nereus
