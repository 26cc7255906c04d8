/// Looking into names by their bytes.
///
/// Swift's own `split`, `contains` and `hasPrefix` look at what a reader sees: a slash with a
/// combining mark behind it is another character than a slash, though its bytes end a segment for
/// everybody else.
extension StringProtocol {
    /// The parts between separators, empty ones too.
    ///
    /// - Parameters:
    ///   - separator: An ASCII character.
    ///   - splitCountMax: Separators beyond so many stay in the last part.
    package func utf8Parts(_ separator: Unicode.Scalar, splitCountMax: Int = .max) -> [String] {
        utf8.split(
            separator: UInt8(ascii: separator), maxSplits: splitCountMax,
            omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether an ASCII character is among the bytes.
    package func utf8Contains(_ character: Unicode.Scalar) -> Bool {
        utf8.contains(UInt8(ascii: character))
    }

    /// Whether the bytes begin with the bytes of `prefix`.
    package func utf8HasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the bytes end with the bytes of `suffix`.
    package func utf8HasSuffix(_ suffix: String) -> Bool {
        utf8.count >= suffix.utf8.count
            && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

extension String {
    /// The text of bytes; `nil` if they are no UTF-8.
    ///
    /// Of ASCII, as most names are, nothing needs to be checked: that takes a third of the time.
    package init?(validUTF8 bytes: ArraySlice<UInt8>) {
        let union = bytes.withUnsafeBufferPointer { $0.reduce(0) { $0 | $1 } }
        if union < 0x80 {
            self = String(decoding: bytes, as: UTF8.self)
        } else {
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self = text
        }
    }

    /// Where an ASCII character stands last among the bytes.
    package func utf8LastIndex(of character: Unicode.Scalar) -> Index? {
        utf8.lastIndex(of: UInt8(ascii: character))
    }
}
