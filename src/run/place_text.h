// run/place_text.h - a place in a program with its line, for tables: "net.nr:3  %y = tanh(%x)".
#pragma once
#include "base/source_text.h"
#include "base/span.h"
#include <span>
#include <string>

namespace nereus {
// Of a model the line says its node alone. Empty: nobody knows the place.
std::string place_text(const Span& where, std::span<const SourceText> sources);
} // namespace nereus
