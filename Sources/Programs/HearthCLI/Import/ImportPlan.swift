/// How `import` makes documents from a file, with names and fields.
struct ImportPlan: Hashable {
    /// Whether the records are what `export` prints: a path and the fields.
    var isExport = false
    /// The field that names the document; `nil` for random names.
    var idField: FieldPathText?
    /// Fields made from other fields, in this order.
    var derivations: [Derivation] = []
    /// The member of the file's object that holds the records; `nil` if the file is the array.
    var arrayName: String?
    /// What failures call the file.
    var fileName = "The file"

    /// One document to be.
    struct Record: Hashable {
        /// The document's name in the collection; `nil` for a random name.
        ///
        /// If the records hold paths, the document's path.
        let name: String?
        /// A map.
        let fields: ValueLiteral
    }

    /// The records of a file: an array, an object that holds an array, or a sequence of objects.
    ///
    /// - Throws: `Failure` if the file has none of these forms, or if a record is no map, has no
    ///   name, or has the name of another record.
    func records(in bytes: [UInt8]) throws(Failure) -> [Record] {
        let values = try elements(of: try read(bytes))
        var records: [Record] = []
        records.reserveCapacity(values.count)
        var places: [[UInt8]: Int] = [:]
        for (index, value) in values.enumerated() {
            do throws(ImportProblem) {
                let record = try record(value)
                if let name = record.name,
                    let other = places.updateValue(index, forKey: Array(name.utf8))
                {
                    throw ImportProblem(
                        reason: "record \(other + 1) has the same name, \"\(name)\"")
                }
                records.append(record)
            } catch {
                throw Failure(
                    .failed,
                    "\(fileName), record \(index + 1) of \(values.count): \(error.reason).")
            }
        }
        return records
    }

    private func read(_ bytes: [UInt8]) throws(Failure) -> [ValueLiteral] {
        var reader = ValueReader(bytes)
        var values: [ValueLiteral] = []
        do throws(ValueSyntaxError) {
            while try !reader.isAtEnd() { values.append(try reader.readValue()) }
        } catch {
            throw Failure(.failed, "\(fileName) is no JSON \(error).")
        }
        return values
    }

    private func elements(of values: [ValueLiteral]) throws(Failure) -> [ValueLiteral] {
        if let arrayName {
            guard values.count == 1, let elements = values[0][arrayName]?.elements else {
                let names = values.first?.fields?.map { "\"\($0.name)\"" } ?? []
                let hint = names.isEmpty ? "" : " It has \(names.joined(separator: ", "))."
                throw Failure(.failed, "\(fileName) has no array \"\(arrayName)\".\(hint)")
            }
            return elements
        }
        if values.count == 1, let elements = values[0].elements { return elements }
        if values.count == 1, let fields = values[0].fields,
            let array = fields.first(where: { $0.value.elements != nil })
        {
            throw Failure(
                .failed, "\(fileName) is one object. Did you mean --array \(array.name)?")
        }
        return values
    }

    private func record(_ value: ValueLiteral) throws(ImportProblem) -> Record {
        guard case .map = value else {
            throw ImportProblem(reason: "it is \(value.kind), not a map")
        }
        if isExport { return try Self.exported(value) }
        var fields = value
        for derivation in derivations { fields = try derivation.apply(to: fields) }
        guard let idField else { return Record(name: nil, fields: fields) }
        switch fields.value(at: idField.names[...]) {
        case .string(let id)? where !id.isEmpty && !id.utf8.contains(UInt8(ascii: "/")):
            return Record(name: id, fields: fields)
        case .integer(let number)?:
            return Record(name: String(number), fields: fields)
        case let other?:
            throw ImportProblem(
                reason:
                    "its \(idField) is \(ValueWriter.write(other, as: .text)), which cannot name "
                    + "a document")
        case nil:
            throw ImportProblem(reason: "it has no \(idField) to name it by")
        }
    }
    /// What `export` prints of a document.
    private static func exported(_ value: ValueLiteral) throws(ImportProblem) -> Record {
        guard case .string(let text)? = value["path"], let path = PathText(text), path.isDocument,
            case .map(let fields)? = value["fields"]
        else {
            throw ImportProblem(
                reason:
                    "it has no \"path\" of a document and \"fields\"; to make documents of other "
                    + "records, say where with --collection")
        }
        return Record(name: path.description, fields: .map(fields))
    }
}
