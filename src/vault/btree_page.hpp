#pragma once
// One b-tree page taken apart (https://sqlite.org/fileformat2.html#b_tree_pages), trusting nothing in it:
// what does not fit is left out and said. Private to the vault.
//
//   page 1 begins with the 100-byte file header; then, on every b-tree page:
//   0 type (2 index interior, 5 table interior, 10 index leaf, 13 table leaf)   1 first free block
//   3 number of cells   5 start of cell content   7 fragmented bytes   8 right-most child (interior only)
//   then one 16-bit offset a cell
//   cell of 13: varint payload size, varint rowid, payload, [4 first overflow page]
//   cell of  5: 4 left child, varint rowid
//   cell of 10: varint payload size, payload, [4 first overflow page]
//   cell of  2: 4 left child, then as 10

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace muhur::vault {

enum class PageType : Byte { index_interior = 2, table_interior = 5, index_leaf = 10, table_leaf = 13 };

struct Cell {
  std::int64_t rowid = 0;          // of table pages
  std::uint64_t payload_size = 0;  // in all
  ByteView local;                  // the part of the payload that is on this page
  std::uint32_t overflow = 0;      // first page of the rest; 0: none
};

struct BtreePage {
  PageType type{};
  bool intact = true;                   // false: some cell did not fit into the page
  std::vector<std::uint32_t> children;  // left to right; of interior pages
  std::vector<Cell> cells;              // with payload: all types but table_interior

  bool is_interior() const { return type == PageType::index_interior || type == PageType::table_interior; }
  bool is_table() const { return type == PageType::table_interior || type == PageType::table_leaf; }
};

// The views in it look into `page`. False: it is no b-tree page.
bool parse_btree_page(ByteView page, std::uint32_t number, std::uint32_t usable, BtreePage& out);

// SQLite's varint at the front of `at`, which is moved behind it. False: it is cut off.
bool take_varint(ByteView& at, std::uint64_t& value);

}  // namespace muhur::vault
