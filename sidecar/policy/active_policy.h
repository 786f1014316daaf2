// A policy with its rules and patterns compiled. policy_watch.h reads the file. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lib/api/policy.h"
#include "lib/base/result.h"
#include "lib/redaction/redaction.h"
#include "sidecar/rules/capture.h"

namespace sidecar {

// Immutable.
struct ActivePolicy {
  api::Policy policy;
  std::string digest;  // sha256:… of the file's bytes
  CaptureRules rules;
  redaction::Redactor redactor;
  int64_t loaded_ms = 0;
};

// kInvalid names the invalid field.
base::Result<std::shared_ptr<const ActivePolicy>> CompilePolicy(const std::string& file,
                                                                int64_t now_ms);

}  // namespace sidecar
