#pragma once
// What one page costs: the vault's page cipher (vault/page_cipher.hpp), random nonce and one-time key
// included, beside OpenSSL's ChaCha20 and Poly1305 over the same bytes.

#include <vector>

#include "base/error.hpp"
#include "bench/report.hpp"

namespace muhur::bench {

// Rows, each CPU time of one page of 4,096 bytes in microseconds: page_encrypt, page_decrypt; openssl_aead
// (its ChaCha20-Poly1305, which derives a one-time key too), openssl_parts (the two primitives with keys at
// hand).
Result<std::vector<Row>> run_page_cipher();

}  // namespace muhur::bench
