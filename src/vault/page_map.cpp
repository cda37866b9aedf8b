#include "vault/page_map.hpp"

#include <algorithm>

#include "vault/record.hpp"

namespace muhur::vault {
namespace {

std::string text_of(const Field& field) {
  const auto* text = std::get_if<std::string_view>(&field);
  return text ? std::string(*text) : std::string();
}

// Trunk pages list the leaves of the freelist: 4 next trunk, 4 count, then the leaves.
void mark_freelist(const Pages& pages, PageMap& map) {
  const auto first = pages.read(1);
  if (!first) return;
  std::uint32_t trunk = load_be32(first->data() + 32);
  const auto mark = [&](std::uint32_t page) {
    if (page == 0 || page > pages.count() || !map.use[page].owner.empty()) return false;
    map.use[page] = {"(free)", PageUse::Kind::freelist};
    return true;
  };
  while (mark(trunk)) {
    const auto page = pages.read(trunk);
    if (!page) return;
    const std::uint32_t count = std::min(load_be32(page->data() + 4), pages.usable() / 4 - 2);
    for (std::uint32_t i = 0; i < count; ++i) mark(load_be32(page->data() + 8 + 4 * i));
    trunk = load_be32(page->data());
  }
}

// With auto_vacuum, page 2 and every (usable/5 + 1)th after it say who points at each page.
void mark_pointer_map(const Pages& pages, PageMap& map) {
  const auto first = pages.read(1);
  if (!first || load_be32(first->data() + 52) == 0) return;
  const std::uint32_t stride = pages.usable() / 5 + 1;
  for (std::uint64_t page = 2; page <= pages.count(); page += stride) {
    const std::uint64_t at = page == pages.lock_page() ? page + 1 : page;
    if (at <= pages.count()) map.use[at] = {"(pointer map)", PageUse::Kind::pointer_map};
  }
}

void mark_btree(const Pages& pages, std::uint32_t root, const std::string& owner, PageMap& map) {
  walk_btree(
      pages, root,
      [&](std::uint32_t number, const BtreePage& page) {
        map.use[number] = {owner, PageUse::Kind::btree};
        for (const Cell& cell : page.cells) {
          if (cell.overflow == 0) continue;
          Bytes payload;
          whole_payload(pages, cell, payload,
                        [&](std::uint32_t at) { map.use[at] = {owner, PageUse::Kind::overflow}; });
        }
      },
      [&](std::uint32_t number) {
        if (number >= 1 && number <= pages.count()) map.use[number] = {owner, PageUse::Kind::unknown};
      });
}

}  // namespace

bool whole_payload(const Pages& pages, const Cell& cell, Bytes& out,
                   const std::function<void(std::uint32_t)>& visited) {
  const std::uint64_t most = static_cast<std::uint64_t>(pages.count()) * pages.size();
  if (cell.payload_size > most) return false;
  out.assign(cell.local.begin(), cell.local.end());
  std::uint32_t next = cell.overflow;
  while (out.size() < cell.payload_size) {
    if (next == 0 || next > pages.count()) return false;
    if (visited) visited(next);
    const auto page = pages.read(next);
    if (!page) return false;
    const std::size_t take = std::min<std::size_t>(pages.usable() - 4, cell.payload_size - out.size());
    out.insert(out.end(), page->begin() + 4, page->begin() + 4 + static_cast<std::ptrdiff_t>(take));
    next = load_be32(page->data());
  }
  return true;
}

void walk_btree(const Pages& pages, std::uint32_t root,
                const std::function<void(std::uint32_t, const BtreePage&)>& visit,
                const std::function<void(std::uint32_t)>& lost) {
  std::vector<bool> seen(pages.count() + 1);
  std::vector<std::uint32_t> waiting{root};
  while (!waiting.empty()) {
    const std::uint32_t number = waiting.back();
    waiting.pop_back();
    if (number <= pages.count() && seen[number]) continue;  // a loop, or a page claimed twice
    const auto bytes = pages.read(number);
    BtreePage page;
    if (!bytes || !parse_btree_page(*bytes, number, pages.usable(), page)) {
      lost(number);
      continue;
    }
    seen[number] = true;
    visit(number, page);
    waiting.insert(waiting.end(), page.children.rbegin(), page.children.rend());
  }
}

std::vector<SchemaRow> read_schema(const Pages& pages) {
  std::vector<SchemaRow> rows;
  walk_btree(
      pages, 1,
      [&](std::uint32_t, const BtreePage& page) {
        if (page.type != PageType::table_leaf) return;
        for (const Cell& cell : page.cells) {
          Bytes payload;
          std::vector<Field> fields;
          if (!whole_payload(pages, cell, payload) || !parse_record(payload, fields) || fields.size() < 5)
            continue;
          const auto* root = std::get_if<std::int64_t>(&fields[3]);
          rows.push_back({text_of(fields[0]), text_of(fields[1]), text_of(fields[2]), text_of(fields[4]),
                          root ? static_cast<std::uint32_t>(*root) : 0});
        }
      },
      [](std::uint32_t) {});
  return rows;
}

Result<PageMap> map_pages(const Pages& pages,
                          const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  constexpr std::uint32_t kProgressEvery = 256;
  PageMap map;
  map.use.resize(pages.count() + 1);
  for (std::uint32_t number = 1; number <= pages.count(); ++number) {
    if (progress && number % kProgressEvery == 0) progress(number, pages.count());
    if (number == pages.lock_page()) {
      map.use[number] = {"(lock)", PageUse::Kind::lock};
      continue;
    }
    const auto page = pages.read(number);
    if (page) continue;
    if (page.error().code != Code::corrupt) return std::unexpected(page.error());
    map.bad.push_back(number);
  }
  if (progress) progress(pages.count(), pages.count());
  if (pages.count() == 0) return map;
  mark_pointer_map(pages, map);
  mark_btree(pages, 1, "(schema)", map);
  map.schema = read_schema(pages);
  for (const SchemaRow& row : map.schema)
    if (row.root != 0) mark_btree(pages, row.root, row.name, map);
  mark_freelist(pages, map);
  return map;
}

}  // namespace muhur::vault
