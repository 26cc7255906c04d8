/// Where the lines of a source begin.
struct SourceLines: Sendable {
    private let starts: [Int]

    init(_ bytes: [UInt8]) {
        starts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// The byte at a line and column of the source.
    func offset(of position: SourcePosition) -> Int {
        starts[position.line - 1] + position.column - 1
    }

    /// The line and column of a byte. O(log n).
    func position(of offset: Int) -> SourcePosition {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return SourcePosition(line: low + 1, column: offset - starts[low] + 1)
    }
}
