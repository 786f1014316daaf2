// Visits the runs of characters that base64 and tokens consist of.
#include "lib/redaction/encoded.h"

#include <array>
#include <cstdint>
#include <string>

#include "lib/redaction/search.h"

namespace redaction {
namespace {

constexpr size_t kLeastEncoded = 28;
constexpr size_t kMostToken = 512;

constexpr std::array<int8_t, 256> Digits() {
  std::array<int8_t, 256> digits{};
  for (auto& digit : digits) digit = -1;
  const std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < letters.size(); ++i)
    digits[static_cast<unsigned char>(letters[i])] = static_cast<int8_t>(i);
  digits['-'] = 62;
  digits['_'] = 63;
  return digits;
}
constexpr std::array<int8_t, 256> kDigits = Digits();

int EncodedDigitOf(char c) { return kDigits[static_cast<unsigned char>(c)]; }

// "" if the decoded bytes are no ASCII text.
std::string Decoded(std::string_view run) {
  std::string out;
  out.reserve(run.size() * 3 / 4 + 1);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : run) {
    bits = bits << 6 | static_cast<uint32_t>(EncodedDigitOf(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    const auto byte = static_cast<unsigned char>(bits >> count & 0xff);
    if (byte >= 0x80 || (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t')) return {};
    out += static_cast<char>(byte);
  }
  return out;
}

bool HoldsSecret(const std::string& decoded, base::WorkBudget& budget) {
  const size_t begin = decoded.find("-----BEGIN ");
  if (begin != std::string::npos && decoded.find("PRIVATE KEY", begin) < begin + 48) return true;
  std::vector<SecretSpan> inside;
  FindSecrets(decoded, budget, inside);
  return !inside.empty();
}

// Joins the token before the line end at `line` with the next line, and adds secrets that only both
// halves together contain.
void FindParted(std::string_view text, size_t begin, size_t line, base::WorkBudget& budget,
                std::vector<SecretSpan>& spans) {
  const size_t next = line + (text.substr(line).starts_with("\r\n") ? 2 : 1);
  size_t end = next;
  while (end < text.size() && end - next < kMostToken && EncodedDigitOf(text[end]) >= 0) ++end;
  if (end - next < 4) return;
  const std::string head(text.substr(begin, line - begin));
  std::vector<SecretSpan> joined;
  FindSecrets(head + std::string(text.substr(next, end - next)), budget, joined);
  for (const SecretSpan& span : joined) {
    if (span.begin < head.size() && span.end > head.size() + 3)
      spans.push_back({begin + span.begin, span.end - head.size() + next, span.rank, span.kind});
  }
}

// A token may continue on the next line if its part here has both a digit and a letter.
bool MayContinue(std::string_view run) {
  bool digit = false, letter = false;
  for (const char c : run) {
    digit |= c >= '0' && c <= '9';
    letter |= EncodedDigitOf(c) >= 0 && !(c >= '0' && c <= '9');
  }
  return digit && letter;
}

}  // namespace

bool FindEncoded(std::string_view text, base::WorkBudget& budget, std::vector<SecretSpan>& spans) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (EncodedDigitOf(text[at]) < 0) continue;
    const size_t begin = at;
    while (at < text.size() && EncodedDigitOf(text[at]) >= 0) ++at;
    const std::string_view run = text.substr(begin, at - begin);
    if (run.size() >= kLeastEncoded) {
      if (!budget.Spend(run.size())) return false;
      const std::string decoded = Decoded(run);
      if (!decoded.empty() && HoldsSecret(decoded, budget))
        spans.push_back({begin, at, 1 << 19, "encoded"});
    }
    const bool line = at < text.size() && (text[at] == '\n' || text[at] == '\r');
    if (line && run.size() >= 8 && run.size() < kMostToken && MayContinue(run)) {
      FindParted(text, begin, at, budget, spans);
      if (budget.over()) return false;
    }
  }
  return true;
}

}  // namespace redaction
