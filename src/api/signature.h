// api/signature.h - what the entry points of an executable take and give, in the structs of the public header.
#pragma once
#include "exe/executable.h"
#include "nereus/nereus.h"
#include <deque>
#include <memory>

namespace nereus::api {
class Signatures {
 public:
    explicit Signatures(const Executable& exe);
    Signatures(const Signatures&) = delete;
    Signatures& operator=(const Signatures&) = delete;
    size_t size() const { return entries_.size(); }
    const nereus_entry* entry(size_t index) const { return &entries_[index]; }

 private:
    const char* keep(std::string text);
    const char* const* keep_all(std::vector<std::string> texts);
    const nereus_port* port(const Executable& exe, const EntryInfo& entry, uint32_t type, std::string name);
    const nereus_port* const* keep_ports(std::vector<const nereus_port*> ports);

    std::deque<std::string> texts_;          // deques: what was handed out does not move
    std::deque<std::vector<const char*>> text_lists_;
    std::deque<nereus_port> ports_;
    std::deque<std::vector<const nereus_port*>> port_lists_;
    std::deque<nereus_entry> entries_;
};
} // namespace nereus::api
