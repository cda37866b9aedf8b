#include "vault/btree_page.hpp"

namespace muhur::vault {
namespace {

constexpr std::size_t kFileHeader = 100;

// How much of a payload stays on its page (fileformat2.html §1.6, "overflow").
std::size_t local_size(std::uint64_t payload, bool table_leaf, std::uint32_t usable) {
  const std::uint64_t most = table_leaf ? usable - 35 : (usable - 12) * 64 / 255 - 23;
  if (payload <= most) return payload;
  const std::uint64_t least = (usable - 12) * 32 / 255 - 23;
  const std::uint64_t kept = least + (payload - least) % (usable - 4);
  return kept <= most ? kept : least;
}

bool take_payload(ByteView& at, bool table_leaf, std::uint32_t usable, Cell& cell) {
  const std::size_t local = local_size(cell.payload_size, table_leaf, usable);
  if (local > at.size()) return false;
  cell.local = at.first(local);
  if (local == cell.payload_size) return true;
  if (at.size() - local < 4) return false;
  cell.overflow = load_be32(at.data() + local);
  return true;
}

bool take_cell(ByteView at, std::uint32_t usable, BtreePage& page) {
  Cell cell;
  if (page.is_interior()) {
    if (at.size() < 4) return false;
    page.children.push_back(load_be32(at.data()));
    at = at.subspan(4);
  }
  if (page.type == PageType::table_interior) return true;
  if (!take_varint(at, cell.payload_size)) return false;
  if (page.type == PageType::table_leaf) {
    std::uint64_t rowid = 0;
    if (!take_varint(at, rowid)) return false;
    cell.rowid = static_cast<std::int64_t>(rowid);
  }
  if (!take_payload(at, page.type == PageType::table_leaf, usable, cell)) return false;
  page.cells.push_back(cell);
  return true;
}

}  // namespace

bool take_varint(ByteView& at, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < 9 && i < at.size(); ++i) {
    const bool ninth = i == 8;
    value = ninth ? value << 8 | at[i] : value << 7 | (at[i] & 0x7f);
    if (!ninth && (at[i] & 0x80)) continue;
    at = at.subspan(i + 1);
    return true;
  }
  return false;
}

bool parse_btree_page(ByteView page, std::uint32_t number, std::uint32_t usable, BtreePage& out) {
  out = {};
  const std::size_t header = number == 1 ? kFileHeader : 0;
  if (usable < 480 || page.size() < usable) return false;
  const ByteView content = page.first(usable);
  const Byte type = content[header];
  if (type != 2 && type != 5 && type != 10 && type != 13) return false;
  out.type = static_cast<PageType>(type);
  const std::size_t pointers = header + (out.is_interior() ? 12 : 8);
  const std::size_t count = load_be16(content.data() + header + 3);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pointer = pointers + 2 * i;
    if (pointer + 2 > usable) {
      out.intact = false;
      break;
    }
    const std::size_t offset = load_be16(content.data() + pointer);
    if (offset >= usable || offset < pointers || !take_cell(content.subspan(offset), usable, out))
      out.intact = false;
  }
  if (out.is_interior()) out.children.push_back(load_be32(content.data() + header + 8));
  return true;
}

}  // namespace muhur::vault
