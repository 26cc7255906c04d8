import HearthModel

/// Tells lines, columns and offsets of a source in characters of Unicode, as Google's emulator does.
struct SourcePlaces {
    /// How many characters begin before each byte.
    private let characterCounts: [Int]
    /// The bytes at which lines begin.
    private let lineStarts: [Int]

    init(_ source: String) {
        var counts: [Int] = []
        var starts = [0]
        var count = 0
        for (index, byte) in source.utf8.enumerated() {
            if byte & 0xC0 != 0x80 { count += 1 }
            counts.append(count - 1)
            if byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        }
        characterCounts = counts + [count]
        lineStarts = starts
    }

    /// Shape: `{line, column, currentOffset, endOffset}`; lines and columns from 1, the last character
    /// included.
    func json(_ range: SourceRange) -> JSONValue {
        let line = line(of: range.start)
        let start = characterCounts[range.start]
        let end = characterCounts[min(range.end, characterCounts.count - 1)]
        return .object([
            .init(name: "line", value: .integer(Int64(line + 1))),
            .init(
                name: "column",
                value: .integer(Int64(start - characterCounts[lineStarts[line]] + 1))),
            .init(name: "currentOffset", value: .integer(Int64(start))),
            .init(name: "endOffset", value: .integer(Int64(end - 1))),
        ])
    }

    private func line(of offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }
}
