// A systemd user unit, so that memory is up after the login.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace client {

// The text of the unit. Pure.
std::string UserUnit(const std::string& program, const std::string& home);

// Writes the unit to systemd/user below $XDG_CONFIG_HOME or ~/.config; returns its path.
base::Result<std::string> InstallUserUnit(const std::string& home);

}  // namespace client
