#include "bench/storage_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace muhur::bench {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Muhur: storage benchmark</title>
<style>
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #5d6570; --line: #d9dee5; --paper: #fdfdfc;
        --bar: #2f6db3; --plain: #a9b4c0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7eaee; --soft: #9aa4b0; --line: #333a44; --paper: #15181c; --bar: #6ea8e8; --plain: #5b6672; } }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
       font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; } p { color: var(--soft); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(28rem, 1fr)); gap: 1.5rem; }
@media (max-width: 34rem) { .charts { grid-template-columns: 1fr; } }
figure { margin: 0; } figcaption { font-weight: 600; } figcaption span { font-weight: 400; color: var(--soft); }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.b { fill: var(--bar); } .p { fill: var(--plain); } .r { stroke: var(--ink); opacity: .55; }
.key i { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 1em; border-radius: 2px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
</style>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

using Entries = std::vector<const StorageResults::Entry*>;

// One figure as horizontal bars from zero; the thin line across a bar's end is the range over the rounds.
std::string chart(const Column& column, const Entries& entries) {
  constexpr double kLabel = 250, kBars = 290, kRow = 22, kWidth = 620;
  double most = 0;
  for (const auto* entry : entries) most = std::max(most, entry->summary(column.key).high);
  if (most <= 0) return {};
  std::string bars;
  double y = 0;
  for (const auto* entry : entries) {
    if (!entry->has(column.key)) continue;
    const Summary s = entry->summary(column.key);
    const auto x = [&](double value) { return kLabel + value / most * kBars; };
    const std::string label = escaped(entry->config->label);
    bars += fmt::format(
        "<g><title>{}: {} ({} to {})</title><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>"
        "<line class=\"r\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{}\">{}</text></g>\n",
        label, shown(s.median * column.scale), shown(s.low * column.scale), shown(s.high * column.scale),
        kLabel - 8, y + 15, label, entry->config->cipher == Cipher::none ? "p" : "b", kLabel, y + 3,
        std::max(x(s.median) - kLabel, 1.0), kRow - 6, x(s.low), x(s.high), y + 11, y + 11, x(s.high) + 6,
        y + 15, shown(s.median * column.scale));
    y += kRow;
  }
  return fmt::format(
      "<figure><figcaption>{} <span>{} is better</span></figcaption>"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg></figure>\n",
      escaped(column.title), column.more_is_better ? "more" : "less", kWidth, y + 4, escaped(column.title),
      bars);
}

std::string table(std::span<const Column> columns, const Entries& entries) {
  std::string out = "<div class=\"scroll\"><table><tr><th></th>";
  for (const Column& column : columns) out += fmt::format("<th>{}</th>", escaped(column.title));
  out += "</tr>\n";
  for (const auto* entry : entries) {
    out += fmt::format("<tr><td>{}</td>", escaped(entry->config->label));
    for (const Column& column : columns) {
      const Summary s = entry->summary(column.key);
      out += entry->has(column.key)
                 ? fmt::format("<td title=\"{} to {}\">{}</td>", shown(s.low * column.scale),
                               shown(s.high * column.scale), shown(s.median * column.scale))
                 : std::string("<td></td>");
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string cipher_table(const std::vector<Row>& rows) {
  std::string out =
      "<div class=\"scroll\"><table><tr><th></th><th>CPU us</th><th>low</th><th>high</th></tr>\n";
  for (const Row& row : rows)
    out += fmt::format("<tr><td>{}</td><td>{:.3f}</td><td>{:.3f}</td><td>{:.3f}</td></tr>\n",
                       escaped(row.label), row.value.median, row.value.low, row.value.high);
  return out + "</table></div>\n";
}

}  // namespace

std::string storage_page(const StorageResults& results) {
  std::string page(kHead);
  page += fmt::format("<h1>Storage benchmark</h1>\n<p>{}</p>\n", escaped(results.conditions()));
  page +=
      "<p class=\"key\"><i class=\"b\" style=\"background:var(--bar)\"></i>encrypted"
      "<i class=\"p\" style=\"background:var(--plain)\"></i>unencrypted; the thin line is the range over the"
      " rounds.</p>\n";
  for (const std::string_view name : kGroups) {
    const Entries entries = results.group(name);
    if (entries.empty()) continue;
    page += fmt::format("<h2>{}</h2>\n<div class=\"charts\">\n", escaped(title_of(name)));
    for (const Column& column : columns_of(name)) page += chart(column, entries);
    page += "</div>\n" + table(columns_of(name), entries);
  }
  page += "<h2>One page of 4,096 bytes</h2>\n" + cipher_table(results.cipher()) + "</html>\n";
  return page;
}

Result<void> write_storage_page(const StorageResults& results, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::trunc);
  out << storage_page(results);
  out.flush();
  if (!out) return fail_errno(errno, "write " + file.string());
  return {};
}

}  // namespace muhur::bench
