#pragma once

namespace pleiad {

/// Throws StarpuError if a StarPU call returned an error code (0 is success).
void check(int code, const char* call);

}  // namespace pleiad
