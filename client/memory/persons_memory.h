// What a person's memory gets that the person does not say: a title from its text, a session. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace client {

std::string TitleOf(const std::string& content);  // its first line, at most 120 characters

// A patch with a content gets a new title if the row's title was made from its content.
void RefreshTitle(const base::Json& row, base::Json& patch);

// The session of what people write into a project by themselves.
std::string PersonsSession(const std::string& project);

}  // namespace client
