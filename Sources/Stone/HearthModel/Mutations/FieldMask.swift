/// The paths that a write touches.
package struct FieldMask: Hashable, Sendable {
    /// The paths, sorted, each once.
    package let paths: [FieldPath]

    /// Sorts `paths` and drops repetitions.
    package init(_ paths: some Sequence<FieldPath>) {
        var sorted = paths.sorted()
        var kept = 0
        for index in sorted.indices where index == 0 || sorted[index] != sorted[kept - 1] {
            sorted[kept] = sorted[index]
            kept += 1
        }
        self.paths = Array(sorted[..<kept])
    }

    /// No path at all.
    package static let empty = FieldMask([])

    /// Whether a path, or a map around it, is in the mask.
    package func covers(_ path: FieldPath) -> Bool {
        paths.contains { $0.isPrefix(of: path) }
    }

    /// The paths of both.
    package func union(_ others: some Sequence<FieldPath>) -> FieldMask {
        FieldMask(paths + Array(others))
    }
}
