import HearthModel

/// Finds the match statements that a path fits, and the values of their variables.
struct RuleMatch {
    /// One segment of a request's path.
    enum Segment {
        case known(String)
        /// A document whose id the query does not tell.
        case anyOne
        /// The way to the collections of a group.
        case anyMany
    }

    /// What a variable of a path is.
    struct Capture {
        let name: String
        /// `nil` if the query does not tell.
        let value: RuleValue?
        let block: RuleTree.BlockID
    }

    /// A match statement that the whole path fits.
    struct Hit {
        let block: RuleTree.BlockID
        let captures: [Capture]
    }

    private struct State {
        let block: RuleTree.BlockID
        /// How much of the block's own pattern has been passed.
        let patternOffset: Int
        let offset: Int
        let captures: [Capture]
    }

    /// Ways of matching that are tried at most. Several {x=**} inside each other make many.
    private static let stateCountMax = 20_000

    private let tree: RuleTree

    init(_ tree: RuleTree) {
        self.tree = tree
    }

    /// The path of a request: `/databases/D/documents/...`.
    static func segments(of request: RuleRequest) -> [Segment] {
        let root = ["databases", request.database.database, "documents"].map { Segment.known($0) }
        switch request.subject {
        case .document(let document):
            return root + document.key.path.segments.map { .known($0) }
        case .query(let query):
            if let key = query.documentKey { return root + key.path.segments.map { .known($0) } }
            switch query.scope {
            case .collection(let path):
                return root + path.segments.map { .known($0) } + [.anyOne]
            case .group(let id, let path):
                return root + path.segments.map { .known($0) } + [.anyMany, .known(id), .anyOne]
            case .everything(let path):
                return root + path.segments.map { .known($0) } + [.anyMany, .anyOne]
            }
        }
    }

    /// The matches, in the order of the source; `nil` if there are too many ways to match.
    mutating func hits(of segments: [Segment]) -> [Hit]? {
        var hits: [Hit] = []
        var stack = [State(block: 0, patternOffset: 0, offset: 0, captures: [])]
        var stateCount = 0
        while let state = stack.popLast() {
            stateCount += 1
            guard stateCount <= Self.stateCountMax else { return nil }
            let block = tree.blocks[state.block]
            if state.patternOffset < block.pattern.count {
                let pattern = block.pattern[state.patternOffset]
                stack += advance(state, pattern, segments).reversed()
                continue
            }
            if state.offset == segments.count {
                hits.append(Hit(block: state.block, captures: state.captures))
            }
            for child in block.children.reversed() {
                stack.append(
                    State(
                        block: child, patternOffset: 0, offset: state.offset,
                        captures: state.captures))
            }
        }
        return hits
    }

    private func advance(
        _ state: State, _ pattern: RuleTree.PatternSegment, _ segments: [Segment]
    ) -> [State] {
        func next(_ count: Int, _ capture: Capture?) -> State {
            State(
                block: state.block, patternOffset: state.patternOffset + 1,
                offset: state.offset + count,
                captures: state.captures + (capture.map { [$0] } ?? []))
        }
        let rest = segments[state.offset...]
        switch pattern {
        case .literal(let text):
            guard case .known(let segment)? = rest.first, utf8Equals(segment, text.string) else {
                return []
            }
            return [next(1, nil)]
        case .one(let name):
            switch rest.first {
            case .known(let segment):
                return [next(1, Capture(name: name, value: .string(segment), block: state.block))]
            case .anyOne: return [next(1, Capture(name: name, value: nil, block: state.block))]
            case .anyMany, nil: return []
            }
        case .many(let name):
            // Version 1 takes all the rest, which may not be nothing.
            let counts = tree.version == 1 ? rest.count...max(rest.count, 0) : 0...rest.count
            if tree.version == 1, rest.isEmpty { return [] }
            return counts.map { count in
                next(
                    count,
                    Capture(name: name, value: Self.path(rest.prefix(count)), block: state.block))
            }
        }
    }

    /// The segments as a path; `nil` if not all are known.
    private static func path(_ segments: ArraySlice<Segment>) -> RuleValue? {
        var names: [String] = []
        for segment in segments {
            guard case .known(let name) = segment else { return nil }
            names.append(name)
        }
        return .path(RulePath(names))
    }
}

extension RuleQuery {
    /// The only document that the query can find, if the query asks for a document by name.
    var documentKey: DocumentKey? {
        for filter in filters where filter.field.isDocumentID && filter.op == .equal {
            if case .reference(let name) = filter.value, let key = name.key, isInScope(key) {
                return key
            }
        }
        return nil
    }

    private func isInScope(_ key: DocumentKey) -> Bool {
        switch scope {
        case .collection(let parent): parent.isImmediateParent(of: key.path)
        case .group(let id, let path):
            utf8Equals(key.collectionGroup, id) && path.isPrefix(of: key.path)
        case .everything(let path): path.isPrefix(of: key.path)
        }
    }
}
