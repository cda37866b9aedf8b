#pragma once
// Bytes that the sample messages carry, made once by other programs.

#include <string_view>

namespace muhur::cli::demo {

// A red seal, 24 by 24 pixels; PNG in lines of base64.
extern const std::string_view kSealPng;
// The signed part of the S/MIME message with its own head, and the detached CMS signature over it (ECDSA
// P-256, SHA-256, certificate of a made-up sender within) in lines of base64.
extern const std::string_view kSignedPart;
extern const std::string_view kSignature;

}  // namespace muhur::cli::demo
