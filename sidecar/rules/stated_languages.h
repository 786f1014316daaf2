// The tables of stated_forms.h, a file a language.
#pragma once

#include "sidecar/rules/stated_forms.h"

namespace sidecar {

StatedLanguage EnglishStated();
StatedLanguage GermanStated();

}  // namespace sidecar
