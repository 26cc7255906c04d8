import HearthModel

/// The content of a source: match statements inside each other, with their functions and allows.
struct RuleTree: Sendable {
    /// Names a block within a tree.
    typealias BlockID = Int

    /// Version 2 matches any number of segments by `{x=**}`, zero included; version 1 at least one,
    /// and only at the end.
    var version = 1
    /// The blocks; each block comes after the block around it. The first is the source itself, the
    /// second its service.
    var blocks: [Block] = []

    /// One match statement, or the source or service around them.
    struct Block: Sendable {
        /// The block around this one.
        let parent: BlockID?
        /// The path that the statement matches below the paths of the blocks around.
        let pattern: [PatternSegment]
        let position: SourcePosition
        var functions: [UTF8Text: Function] = [:]
        var allows: [Allow] = []
        var children: [BlockID] = []

        init(parent: BlockID?, pattern: [PatternSegment], position: SourcePosition) {
            self.parent = parent
            self.pattern = pattern
            self.position = position
        }
    }

    /// One segment of a match statement.
    enum PatternSegment: Sendable {
        case literal(UTF8Text)
        /// `{x}`
        case one(String)
        /// `{x=**}`
        case many(String)
    }

    /// One allow statement.
    struct Allow: Sendable {
        let methods: Set<RuleMethod>
        /// `nil` means always.
        let condition: Expression?
        let position: SourcePosition
    }

    /// One variable of a function.
    struct Binding: Sendable {
        let name: String
        let value: Expression
        /// Where the statement begins, in bytes from the start of the source.
        let start: Int
    }

    /// One function.
    struct Function: Sendable {
        let name: String
        let parameters: [String]
        let bindings: [Binding]
        let result: Expression
        let position: SourcePosition
    }
}

extension RuleTree.PatternSegment {
    /// Whether the segment binds a variable.
    var isCapture: Bool {
        switch self {
        case .literal: false
        case .one, .many: true
        }
    }

    /// Whether the segment matches any number of segments.
    var isMany: Bool {
        if case .many = self { return true }
        return false
    }
}
