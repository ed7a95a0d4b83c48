// cli/launch_table.h - each launch of a program over some calls: runs, time, arithmetic, bytes, and the way its kernel took.
//
// Arithmetic and bytes are counted from the loop function and the sizes of the launch (loop/cost.h), the way from its strides
// (loop/way.h): nothing of this is measured but the time.
#pragma once
#include "driver/compile.h"
#include "loop/cost.h"
#include "loop/way.h"
#include "vm/context.h"

namespace nereus {
struct LaunchRow {                               // of launches of one place that run one kernel one way
    std::string kernel, where;                   // where: as place_text
    loop::Way way = loop::Way::library;
    int64_t runs = 0, nanoseconds = 0;
    loop::Cost cost = {};                        // of all runs together
};

class LaunchTable {
 public:
    // Both of the compile that made the program.
    LaunchTable(std::vector<loop::Scheduled> kernels, std::vector<bool> in_library)
        : kernels_(std::move(kernels)), in_library_(std::move(in_library)) {}
    void see(const Executable& exe, const LaunchInfo& info, const Launch& launch, int64_t nanoseconds);
    // The longest first.
    std::vector<LaunchRow> rows(const Executable& exe, std::span<const SourceText> sources) const;

 private:
    std::vector<loop::Scheduled> kernels_;
    std::vector<bool> in_library_;
    std::map<std::pair<size_t, loop::Way>, LaunchRow> seen_;     // by launch
};
std::string launches_text(const std::vector<LaunchRow>& rows);
std::string launches_json(const std::vector<LaunchRow>& rows);       // a list
std::string sums_json(const std::vector<LaunchRow>& rows);           // an object of what may only fall
} // namespace nereus
