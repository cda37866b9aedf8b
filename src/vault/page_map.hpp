#pragma once
// Whose page is which: walks every b-tree from its root, over what verifies. Private to the vault.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vault/btree_page.hpp"
#include "vault/pages.hpp"

namespace muhur::vault {

struct SchemaRow {
  std::string type, name, table, sql;  // table, index, trigger, view
  std::uint32_t root = 0;              // 0: no b-tree (view, trigger, virtual table)
};

struct PageUse {
  std::string owner;  // table or index; "(schema)"; empty: nobody reaches it
  enum class Kind : Byte { unknown, btree, overflow, freelist, pointer_map, lock } kind = Kind::unknown;
};

struct PageMap {
  std::vector<SchemaRow> schema;   // what of it verifies, in order
  std::vector<PageUse> use;        // by page number; [0] unused
  std::vector<std::uint32_t> bad;  // that do not verify
};

// The whole payload of a cell, overflow pages included; each visited one is told. False: a page of it does
// not verify or the chain is wrong.
bool whole_payload(const Pages& pages, const Cell& cell, Bytes& out,
                   const std::function<void(std::uint32_t)>& visited = {});

// Visits each b-tree page below `root` once, depth first. `visit` gets the page; `lost` the numbers that do
// not verify or are no b-tree page (of whose children nothing is known).
void walk_btree(const Pages& pages, std::uint32_t root,
                const std::function<void(std::uint32_t, const BtreePage&)>& visit,
                const std::function<void(std::uint32_t)>& lost);

std::vector<SchemaRow> read_schema(const Pages& pages);

// Reads every page once. `progress` may be empty; an I/O error (not a bad tag) is an error.
Result<PageMap> map_pages(const Pages& pages,
                          const std::function<void(std::uint64_t done, std::uint64_t all)>& progress = {});

}  // namespace muhur::vault
