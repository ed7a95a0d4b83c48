// value/npz.h - structures of tensors as NumPy's .npz files: one array per tensor, named by the path to it.
//   record field    .w        layers.0.w: field w of item 0 of field layers; at the front the dot is left out
//   tuple item      .0
//   Seq item        [0]
//   constructor     .Node.0   argument 0 of a Node; without arguments .Nil, an empty array of bools
//   nothing inside  [], ()    the empty Seq and the empty tuple, empty arrays of bools too
// What is read says by its names alone what it is, so that files of numpy.savez serve as well.
#pragma once
#include "value/json.h"

namespace nereus {
// The bytes of a whole file. `path`: what to take of it, whole steps from the front; empty: all.
Result<Value> parse_npz(std::string_view file, std::string_view path = {});
// Every array by its whole name, which need not be a path: a model may have any names.
Result<std::vector<Field>> read_npz_arrays(const std::string& file);
// What is shared is written each time.
Result<std::string> to_npz(const Value& value);
// Each by its name, which may be any text; paths go on behind it. A name that comes twice is written once.
Result<std::string> to_npz(std::span<const Field> named);

// The same with files; an error names the path.
Result<Value> read_npz(const std::string& file, std::string_view path = {});
Status write_npz(const std::string& file, const Value& value);
Status write_npz(const std::string& file, std::span<const Field> named);
} // namespace nereus
