// tensor/npy.h - NumPy's .npy files, versions 1 to 3, read in C or Fortran order. What NumPy has no type for is written as
// codes: a record of one byte whose field has the name of the dtype, [('f8e4m3fn', '|u1')]; np.load(file)['f8e4m3fn'] gives them. Texts: tensor/npy_texts.h.
#pragma once
#include "tensor/host_tensor.h"

namespace nereus {
// The bytes of a whole file. Anything may be wrong with them; memory is asked for only once the data is known
// to be there. Errors: parse (damaged), unsupported (another dtype or version), limit, memory.
Result<HostTensor> parse_npy(std::string_view file);
// Version 1, C order, data on a 64-byte boundary: what numpy.save writes.
std::string to_npy(const HostTensor& tensor);

// The same with files; an error names the path.
Result<HostTensor> read_npy(const std::string& path);
Status write_npy(const std::string& path, const HostTensor& tensor);
} // namespace nereus
