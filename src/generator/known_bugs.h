// generator/known_bugs.h - what is not written because of a bug that is known and not mended yet: one switch each, with
// the reason. Empty is the aim.
#pragma once

namespace nereus::gen::known {
} // namespace nereus::gen::known
