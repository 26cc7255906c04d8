/// `FIELD=VALUE`, as it is typed after `set` and `update`.
struct Assignment: Hashable {
    /// The field.
    let field: FieldPathText
    /// The field's new value, or an order that changes the field.
    let value: ValueLiteral

    /// Pairs a field with a value.
    init(_ field: FieldPathText, _ value: ValueLiteral) {
        self.field = field
        self.value = value
    }

    /// Reads `FIELD=VALUE`. A value that is nothing else is text.
    init(parsing text: String) throws(ValueSyntaxError) {
        var rest = Substring(text)
        field = try FieldPathText(readingFrom: &rest, in: text)
        let start = text.utf8.count - rest.utf8.count
        guard rest.unicodeScalars.popFirst() == "=" else {
            throw ValueSyntaxError(
                "\"=\" is missing after the field", at: start, in: Array(text.utf8))
        }
        do throws(ValueSyntaxError) {
            value = try ValueReader.readArgument(String(rest))
        } catch {
            throw error.shifted(by: text.count - rest.count)
        }
    }

    /// The map of all assigned fields, each field at its path.
    ///
    /// - Throws: `Failure` if a field is there twice or lies in another field.
    static func map(_ assignments: [Assignment]) throws(Failure) -> ValueLiteral {
        var root: [Node] = []
        for assignment in assignments {
            guard Node.insert(assignment.value, at: assignment.field.names[...], into: &root) else {
                throw Failure(
                    .usage, "The field \(assignment.field) is there twice, or lies in another.")
            }
        }
        return .map(root.map(\.field))
    }
}

/// A field of a map that is being put together.
private struct Node {
    let name: String
    var value: ValueLiteral?
    var children: [Node] = []

    var field: ValueLiteral.Field {
        .init(name: name, value: value ?? .map(children.map(\.field)))
    }

    /// Puts a value at a path, unless a value is already there, above or below.
    static func insert(
        _ value: ValueLiteral, at path: ArraySlice<String>, into nodes: inout [Node]
    ) -> Bool {
        guard let name = path.first else { return false }
        let index = nodes.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        guard path.count > 1 else {
            if index == nil { nodes.append(Node(name: name, value: value)) }
            return index == nil
        }
        guard let index else {
            var node = Node(name: name)
            let isDone = insert(value, at: path.dropFirst(), into: &node.children)
            nodes.append(node)
            return isDone
        }
        return nodes[index].value == nil
            && insert(value, at: path.dropFirst(), into: &nodes[index].children)
    }
}
