//   journal := (header record*)* [super]
//   header  := magic[8] records[4] nonce[4] pages[4] sector[4] page size[4] zeros, to 512 bytes
//              (the first 12 bytes are zeros until the records are synced)
//   record  := page number[4] page checksum[4]            page encrypted as in the main file; the checksum is
//                                                         SQLite's, over some bytes of the plaintext
//   super   := lock page number[4] name length[4] checksum[4] magic[8]       name of a super-journal, in
//   plain
//
// SQLite writes and reads the three parts of a record one after the other, so a page is what has the size of
// a page and stands right behind a word that was just seen there.
#include "vault/journal_file.hpp"

namespace muhur::vault {
namespace {

constexpr Byte kJournalMagic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
constexpr int kHeader = 512;       // one sector: we claim POWERSAFE_OVERWRITE, so SQLite takes this size
constexpr int kHeaderFields = 28;  // the part of it that means something
constexpr int kRecordsAt = 8;
constexpr int kSectorAt = 20;
constexpr int kPageSizeAt = 24;
constexpr int kNameLimit = 4096;
constexpr std::uint32_t kLockByte = 0x40000000;

bool is_header(ByteView bytes) {
  const auto zeros = [&](std::size_t from, std::size_t to) {
    return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                       bytes.begin() + static_cast<std::ptrdiff_t>(to), [](Byte b) { return b == 0; });
  };
  return bytes.size() == kHeader && zeros(kHeaderFields, kHeader) &&
         (zeros(0, 12) || std::memcmp(bytes.data(), kJournalMagic, sizeof kJournalMagic) == 0);
}

}  // namespace

// Of the database, or while that is still empty, of the journal's header.
std::uint32_t JournalFile::page_size() {
  if (const std::uint32_t known = codec_->page_size(); known != 0) return known;
  Byte header[kHeaderFields];
  if (base_->pMethods->xRead(base_, header, sizeof header, 0) != SQLITE_OK) return 0;
  const std::uint32_t size = load_be32(header + kPageSizeAt);
  return is_page_size(size) ? size : 0;
}

std::uint32_t JournalFile::lock_page() {
  const std::uint32_t size = page_size();
  return size == 0 ? 0 : kLockByte / size + 1;
}

bool JournalFile::is_page(int amount, sqlite3_int64 offset) {
  return amount >= kHeader && word_at_ >= 0 && offset == word_at_ + 4 && word_ != 0 &&
         static_cast<std::uint32_t>(amount) == page_size() && word_ != lock_page();
}

void JournalFile::note_word(const Byte* word, sqlite3_int64 offset) {
  word_at_ = std::exchange(page_end_, -1) == offset ? -1 : offset;
  word_ = load_be32(word);
}

int JournalFile::write(const void* from, int amount, sqlite3_int64 offset) {
  const auto* const bytes = static_cast<const Byte*>(from);
  const auto pass = [&] { return base_->pMethods->xWrite(base_, from, amount, offset); };
  if (amount == 4) {
    note_word(bytes, offset);
    return pass();
  }
  const bool after_lock_page = word_at_ >= 0 && offset == word_at_ + 4 && word_ != 0 && word_ == lock_page();
  const bool page = is_page(amount, offset);
  word_at_ = -1;
  if (page) {
    if (codec_->page_size() == 0) codec_->set_page_size(static_cast<std::uint32_t>(amount));
    Byte* const sealed = codec_->scratch(static_cast<std::size_t>(amount));
    if (const int rc = codec_->encrypt(word_, from, sealed); rc != SQLITE_OK) return rc;
    page_end_ = offset + amount;
    return base_->pMethods->xWrite(base_, sealed, amount, offset);
  }
  page_end_ = -1;
  // Fields of a header, a whole header, or the name of a super-journal: none holds anything of a page.
  if (amount <= kHeaderFields || is_header({bytes, static_cast<std::size_t>(amount)}) ||
      (after_lock_page && amount <= kNameLimit))
    return pass();
  return refuse(SQLITE_IOERR_WRITE, "a write to the journal that is neither header nor record");
}

// SQLite takes a journal that ends too early for one that was not flushed before the power went, and stops
// there as if all were undone. But it names the number of records only after they are in the file.
int JournalFile::refuse_when_cut() {
  sqlite3_int64 size = 0;
  if (const int rc = base_->pMethods->xFileSize(base_, &size); rc != SQLITE_OK) return rc;
  constexpr std::uint32_t kUncounted = 0xffffffff;  // synchronous=OFF: to the end of the file
  for (sqlite3_int64 at = 0; at < size;) {
    Byte header[kHeaderFields] = {};
    const auto there = static_cast<int>(std::min<sqlite3_int64>(sizeof header, size - at));
    if (const int rc = base_->pMethods->xRead(base_, header, there, at); rc != SQLITE_OK) return rc;
    const std::uint32_t records = load_be32(header + kRecordsAt);
    const std::uint32_t sector = load_be32(header + kSectorAt);
    const std::uint32_t page = load_be32(header + kPageSizeAt);
    const bool begins = std::memcmp(header, kJournalMagic, std::min<int>(there, sizeof kJournalMagic)) == 0;
    if (!begins) return SQLITE_OK;
    if (there < kHeaderFields) return refuse(SQLITE_CORRUPT, "a journal that was cut in its header");
    if (records == 0 || records == kUncounted || !is_page_size(page) || !is_page_size(sector))
      return SQLITE_OK;
    const sqlite3_int64 end = at + sector + static_cast<sqlite3_int64>(records) * (page + 8);
    if (end > size) return refuse(SQLITE_CORRUPT, "a journal that was cut: records it counts are not there");
    at = (end + sector - 1) / sector * sector;
  }
  return SQLITE_OK;
}

int JournalFile::read(void* out, int amount, sqlite3_int64 offset) {
  // One byte is what SQLite asks for to tell a hot journal, before it plays one back.
  if (offset == 0 && amount == 1) {
    if (const int rc = refuse_when_cut(); rc != SQLITE_OK) return rc;
  }
  const bool page = amount != 4 && is_page(amount, offset);
  if (page && codec_->page_size() == 0) codec_->set_page_size(static_cast<std::uint32_t>(amount));
  const int rc = base_->pMethods->xRead(base_, out, amount, offset);
  if (rc != SQLITE_OK) {
    word_at_ = -1;
    std::memset(out, 0, static_cast<std::size_t>(amount));
    return rc;
  }
  if (amount == 4) {
    note_word(static_cast<const Byte*>(out), offset);
    return SQLITE_OK;
  }
  word_at_ = -1;
  page_end_ = page ? offset + amount : -1;
  if (!page) return SQLITE_OK;
  return codec_->decrypt(word_, static_cast<const Byte*>(out), out);
}

}  // namespace muhur::vault
