import Hearth

/// Writes of batches as objects: `queue show` prints them, `queue edit` reads them.
///
///     {"set": PATH, "fields": {NAME: VALUE}}             replaces the document
///     {"change": PATH, "fields": {FIELD PATH: VALUE}}    {"$delete": true} removes the field
///     {"delete": PATH}
///     {"check": PATH}                                    only asks for what must hold
///
/// All take "orders", {FIELD PATH: ORDER}, and "exists" or "updateTime".
enum WriteText {
    // MARK: Printing

    /// A write as an object.
    static func literal(_ write: PendingWrite) -> ValueLiteral {
        var report: Report
        switch write.operation {
        case .set(let fields):
            let fields = write.spelledFields.map { ValueLiteral($0) } ?? ValueLiteral(fields)
            report = Report().with("set", write.documentPath).with("fields", fields)
        case .change(let changed, let deleted):
            var fields = changed.map {
                ValueLiteral.Field(name: name(of: $0.key), value: ValueLiteral($0.value))
            }
            fields += deleted.map { .init(name: name(of: $0), value: .order(.delete)) }
            fields.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            report = Report().with("change", write.documentPath).with("fields", .map(fields))
        case .delete: report = Report().with("delete", write.documentPath)
        case .check: report = Report().with("check", write.documentPath)
        }
        if !write.orders.isEmpty {
            let orders = write.orders.map {
                ValueLiteral.Field(name: name(of: $0.field), value: .order(order(of: $0.order)))
            }
            report = report.with("orders", .map(orders))
        }
        if let exists = write.mustExist { report = report.with("exists", exists) }
        if let time = write.mustHaveUpdateTime {
            report = report.with("updateTime", .timestamp(time))
        }
        return report.value
    }

    private static func name(of field: FieldPath) -> String {
        FieldPathText(names: field.names).description
    }

    private static func order(of order: PendingWrite.Order) -> ValueLiteral.Order {
        switch order {
        case .serverTimestamp: .serverTimestamp
        case .increment(let number): .increment(operand(number))
        case .maximum(let number): .maximum(operand(number))
        case .minimum(let number): .minimum(operand(number))
        case .arrayUnion(let elements): .arrayUnion(elements.map { ValueLiteral($0) })
        case .arrayRemove(let elements): .arrayRemove(elements.map { ValueLiteral($0) })
        }
    }

    private static func operand(_ number: any Sendable) -> ValueLiteral.Operand {
        ValueLiteral(number).operand ?? .integer(0)
    }

    // MARK: Reading

    /// The writes in a text: the text is a list of writes, or a batch with a list `writes`.
    static func read(_ bytes: [UInt8], from place: String) throws(Failure) -> [ValueLiteral] {
        let value: ValueLiteral
        do throws(ValueSyntaxError) {
            value = try ValueReader.read(bytes)
        } catch {
            throw Failure(.usage, "What \(place) says is no value \(error).")
        }
        guard let writes = value.elements ?? value["writes"]?.elements else {
            throw Failure(.usage, "\(place) holds neither a list nor an object with \"writes\".")
        }
        return writes
    }

    /// The write that an object describes.
    static func write(_ literal: ValueLiteral, in firestore: Firestore) throws -> PendingWrite {
        guard let fields = literal.fields else {
            throw Failure(.usage, "A write is an object, not \(literal.kind).")
        }
        for field in fields where !known.contains(field.name) {
            throw Failure(.usage, "A write has no \"\(field.name)\".")
        }
        let verbs = fields.filter { ["set", "change", "delete", "check"].contains($0.name) }
        guard let verb = verbs.first, verbs.count == 1, case .string(let path) = verb.value else {
            throw Failure(
                .usage, "A write names one document, by set, change, delete or check.")
        }
        var write = PendingWrite(
            documentPath: path, operation: try operation(verb.name, literal, firestore))
        for field in literal["orders"]?.fields ?? [] {
            guard case .order(let order) = field.value, let meant = try self.order(order, firestore)
            else {
                throw Failure(.usage, "\(field.name) in orders is \(field.value.kind).")
            }
            write.orders.append((try self.path(field.name), meant))
        }
        if let exists = literal["exists"] {
            guard case .boolean(let flag) = exists else {
                throw Failure(.usage, "\"exists\" is true or false, not \(exists.kind).")
            }
            write.mustExist = flag
        }
        if let updateTime = literal["updateTime"] {
            guard case .timestamp(let time) = updateTime else {
                throw Failure(.usage, "\"updateTime\" is a timestamp, not \(updateTime.kind).")
            }
            write.mustHaveUpdateTime = time
        }
        return write
    }

    private static let known = [
        "set", "change", "delete", "check", "fields", "orders", "exists", "updateTime",
    ]

    private static func operation(
        _ verb: String, _ literal: ValueLiteral, _ firestore: Firestore
    ) throws -> PendingWrite.Operation {
        if verb == "delete" { return .delete }
        if verb == "check" { return .check }
        guard let fields = literal["fields"]?.fields else {
            throw Failure(.usage, "\"\(verb)\" needs \"fields\", an object.")
        }
        if verb == "set" { return .set(try values(fields, firestore)) }
        var changed: [FieldPath: any Sendable] = [:]
        var deleted: [FieldPath] = []
        for field in fields {
            let path = try self.path(field.name)
            if field.value == .order(.delete) {
                deleted.append(path)
            } else {
                changed[path] = try value(field.value, firestore)
            }
        }
        return .change(changed, deleting: deleted)
    }

    private static func path(_ text: String) throws(Failure) -> FieldPath {
        do throws(ValueSyntaxError) {
            return try FieldPathText(text).fieldPath
        } catch {
            throw Failure(.usage, "\"\(text)\" is no field's path: \(error).".oneLine)
        }
    }

    private static func order(
        _ order: ValueLiteral.Order, _ firestore: Firestore
    ) throws -> PendingWrite.Order? {
        switch order {
        case .delete: nil
        case .serverTimestamp: .serverTimestamp
        case .increment(let operand): .increment(try value(operand.value, firestore))
        case .maximum(let operand): .maximum(try value(operand.value, firestore))
        case .minimum(let operand): .minimum(try value(operand.value, firestore))
        case .arrayUnion(let elements):
            .arrayUnion(try elements.map { try value($0, firestore) })
        case .arrayRemove(let elements):
            .arrayRemove(try elements.map { try value($0, firestore) })
        }
    }

    private static func values(
        _ fields: [ValueLiteral.Field], _ firestore: Firestore
    ) throws -> [String: any Sendable] {
        try ValueLiteral.encode(fields, in: firestore, order: misplaced)
    }

    /// A value as the library takes it.
    private static func value(
        _ literal: ValueLiteral, _ firestore: Firestore
    ) throws -> any Sendable {
        try literal.encoded(in: firestore, order: misplaced)
    }

    private static func misplaced(_ order: ValueLiteral.Order) throws -> any Sendable {
        throw Failure(.usage, "An order belongs in \"orders\", by its field's path.")
    }
}
