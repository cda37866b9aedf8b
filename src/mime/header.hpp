#pragma once
// Header blocks: fields in order, unfolding, structured values. One header a kind of value; this one
// gathers them.

#include "mime/address.hpp"
#include "mime/content_type.hpp"
#include "mime/date.hpp"
#include "mime/decode.hpp"
#include "mime/encoded_word.hpp"
#include "mime/fields.hpp"
