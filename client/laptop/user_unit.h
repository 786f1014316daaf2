// A unit of systemd for the user, so that memory is up from the login on.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace client {

// The text of the unit. Pure.
std::string UserUnit(const std::string& program, const std::string& home);

// Writes it to ~/.config/systemd/user → its path.
base::Result<std::string> InstallUserUnit(const std::string& home);

}  // namespace client
