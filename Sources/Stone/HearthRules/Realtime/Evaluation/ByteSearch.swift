/// Looks for a text in other texts, always in linear time.
///
/// - Source: Knuth, Morris and Pratt, "Fast Pattern Matching in Strings", 1977.
struct ByteSearch {
    private let part: [UInt8]
    /// For each beginning of the part, by length: the length of the longest shorter beginning that
    /// is also its end.
    private let borders: [Int]

    init(_ part: String) {
        self.part = Array(part.utf8)
        var borders = [0]
        var length = 0
        for byte in self.part.dropFirst() {
            while length > 0, self.part[length] != byte { length = borders[length - 1] }
            if self.part[length] == byte { length += 1 }
            borders.append(length)
        }
        self.borders = borders
    }

    /// Where the part first begins at or behind a place; `nil` if nowhere. O(bytes).
    func first(in bytes: [UInt8], from start: Int) -> Int? {
        if part.isEmpty { return start }
        var length = 0
        for place in start..<bytes.count {
            while length > 0, part[length] != bytes[place] { length = borders[length - 1] }
            if part[length] == bytes[place] { length += 1 }
            if length == part.count { return place + 1 - length }
        }
        return nil
    }
}
