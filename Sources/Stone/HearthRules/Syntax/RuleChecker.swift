import HearthModel

/// Refuses functions that call each other in a circle.
///
/// A call of a function that is not declared is no fault of the source: as in production, the
/// condition that makes the call fails.
struct RuleChecker {
    private struct FunctionID: Hashable {
        let block: RuleTree.BlockID
        let name: UTF8Text
    }

    private enum State {
        case open, done
    }

    private let tree: RuleTree
    private var states: [FunctionID: State] = [:]

    static func check(_ tree: RuleTree) throws(RulesError) {
        var checker = RuleChecker(tree: tree)
        for block in tree.blocks.indices {
            let names = tree.blocks[block].functions.keys.sorted()
            for name in names { try checker.visit(FunctionID(block: block, name: name)) }
        }
    }

    private init(tree: RuleTree) {
        self.tree = tree
    }

    /// Walks the calls depth first, on a stack of its own.
    private mutating func visit(_ start: FunctionID) throws(RulesError) {
        guard states[start] == nil else { return }
        var stack = [(id: start, callees: callees(of: start))]
        states[start] = .open
        while let last = stack.indices.last {
            guard let next = stack[last].callees.popLast() else {
                states[stack[last].id] = .done
                stack.removeLast()
                continue
            }
            switch states[next.id] {
            case .done: continue
            case .open:
                throw RulesError(
                    "the function \(next.id.name) calls itself, directly or through others",
                    at: next.position)
            case nil:
                states[next.id] = .open
                stack.append((next.id, callees(of: next.id)))
            }
        }
    }

    private func callees(of id: FunctionID) -> [(id: FunctionID, position: SourcePosition)] {
        guard let function = tree.blocks[id.block].functions[id.name] else { return [] }
        var result: [(id: FunctionID, position: SourcePosition)] = []
        var rest = function.bindings.map(\.value) + [function.result]
        while let expression = rest.popLast() {
            if case .call(let name, _) = expression.kind,
                let (block, _) = tree.function(name, seenFrom: id.block)
            {
                result.append(
                    (FunctionID(block: block, name: UTF8Text(name)), expression.position))
            }
            rest += expression.kind.operands
        }
        return result
    }
}

extension RuleTree {
    /// The function of a name that a block sees: its own function, or the function of the nearest
    /// block around.
    func function(_ name: String, seenFrom block: BlockID) -> (block: BlockID, Function)? {
        var next: BlockID? = block
        while let id = next {
            if let function = blocks[id].functions[UTF8Text(name)] { return (id, function) }
            next = blocks[id].parent
        }
        return nil
    }
}
