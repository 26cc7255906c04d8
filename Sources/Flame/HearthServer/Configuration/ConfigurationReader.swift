import HearthModel

/// Finds the value of each key in layers of configuration, and collects what is wrong with them.
struct ConfigurationReader {
    /// The values of the keys that are set, by their names.
    private(set) var values: [String: ConfigurationLayer.Value] = [:]
    /// Rules by their names, which the configuration chooses.
    private var accessRules: [String: (value: ConfigurationLayer.Value, place: Place)] = [:]
    private var found: [(place: Place, problem: ConfigurationProblem)] = []

    /// Where a value stands.
    private struct Place {
        /// The number of the layer, from 0.
        let layer: Int
        /// The line in the layer; 0 if the layer has none.
        let line: Int
        /// The same for people.
        let origin: String
    }

    /// What is wrong, in the order of layers and of their lines.
    var problems: [ConfigurationProblem] {
        found.enumerated().sorted {
            ($0.element.place.layer, $0.element.place.line, $0.offset)
                < ($1.element.place.layer, $1.element.place.line, $1.offset)
        }.map(\.element.problem)
    }

    /// Reads all layers, the later ones over the earlier ones.
    init(_ layers: [ConfigurationLayer]) {
        for (number, layer) in layers.enumerated() {
            for (name, value) in layer.values.sorted(by: { $0.key < $1.key }) {
                take(
                    name, value,
                    from: Place(
                        layer: number, line: layer.line(of: name), origin: layer.origin(of: name)))
            }
        }
    }

    private mutating func take(
        _ name: String, _ value: ConfigurationLayer.Value, from place: Place
    ) {
        let accessPrefix = ConfigurationLayer.accessPrefix
        if name.hasPrefix(accessPrefix) {
            accessRules[String(name.dropFirst(accessPrefix.count))] = (value, place)
            return
        }
        guard let key = ConfigurationTable.key(named: name) else {
            add("There is no key \"\(name)\".\(Self.hint(for: name))", at: place)
            return
        }
        if let complaint = Self.complaint(about: value, for: key) {
            add("\(name) must be \(complaint).", at: place)
            return
        }
        values[name] = value
    }

    private mutating func add(_ message: String, at place: Place, consequence: String? = nil) {
        found.append(
            (
                place,
                ConfigurationProblem(
                    origin: place.origin, message: message, consequence: consequence)
            ))
    }

    private static func complaint(about value: ConfigurationLayer.Value, for key: ConfigurationKey)
        -> String?
    {
        switch (key.kind, value) {
        case (.text, .text), (.flag, .flag): nil
        case (.project, .text(let id)) where id.isEmpty || DatabaseID.isProjectID(id): nil
        case (.database, .text(let id)) where id.isEmpty || DatabaseID.isDatabaseID(id): nil
        case (.collection, .text(let path)) where isCollection(path): nil
        case (.instance, .text(let url)) where url.isEmpty || InstanceID(url: url) != nil: nil
        case (.node, .text(let path)) where path.isEmpty || isNode(path): nil
        case (.nodes, .texts(let paths)) where paths.allSatisfy(isNode): nil
        case (.documents, .texts(let paths)) where paths.allSatisfy(isDocuments): nil
        case (.budgets, .texts(let lines)) where lines.allSatisfy({ ListedBudget($0) != nil }): nil
        case (.loopback, .text(let text)) where text.isEmpty || LoopbackAddress(text) != nil: nil
        case (.number(let range), .number(let number)) where range.contains(number): nil
        case (.choice(let words), .text(let word)) where words.contains(word): nil
        case (.mode, .text(let text)) where ConfigurationKey.mode(text) != nil: nil
        case (.text, _): "a text, not \(value)"
        case (.project, _):
            "a project's id of at most \(DatabaseID.idByteCountMax) lower-case letters, digits and "
                + "hyphens, perhaps behind a domain and a colon, not \(value)"
        case (.database, _):
            "\(DatabaseID.defaultName) or a database's id of at most \(DatabaseID.idByteCountMax) "
                + "lower-case letters, digits and hyphens, not \(value)"
        case (.collection, _):
            "the path of a collection, such as \"marks\" or \"a/b/marks\", or empty, not \(value)"
        case (.instance, _):
            "the address of an instance, such as \"https://shop-default-rtdb.firebaseio.com\", or "
                + "empty, not \(value)"
        case (.node, _):
            "a path below the root, such as \"/fence\", or empty, not \(value)"
        case (.nodes, _):
            "a list of paths below the root, such as [\"/menu\", \"/shops/1\"], not \(value)"
        case (.documents, _):
            "a list of paths of documents and collections, such as [\"menu\", \"shops/1\"], not "
                + "\(value)"
        case (.budgets, _):
            "a list of budgets, such as [\"unit menu.service 50000\", \"uid 1001 20000\"], not "
                + "\(value)"
        case (.loopback, _):
            "a port of this machine alone, such as \"127.0.0.1:8085\" or \"[::1]:8085\", or empty, "
                + "not \(value)"
        case (.flag, _): "true or false, not \(value)"
        case (.number(let range), _):
            "a number from \(range.lowerBound) to \(range.upperBound), not \(value)"
        case (.choice(let words), _):
            "one of \(words.joined(separator: ", ")), not \(value)"
        case (.mode, _): "a text of octal digits such as \"0660\", not \(value)"
        }
    }

    /// Suggests the key that a person meant who mistyped a name.
    ///
    /// The suggestion differs from the name only in its case, or else has the same last part.
    private static func hint(for name: String) -> String {
        let wanted = name.lowercased().filter { $0.isLetter || $0 == "." }
        let last = wanted.split(separator: ".").last ?? ""
        let names = ConfigurationTable.keys.map(\.name)
        let known =
            names.first { $0.lowercased() == wanted }
            ?? names.first { $0.lowercased().split(separator: ".").last == last }
        return known.map { " Did you mean \($0)?" } ?? ""
    }

    /// Whether a text is empty or names a collection in which a document can be.
    private static func isCollection(_ text: String) -> Bool {
        if text.isEmpty { return true }
        guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }),
            let path = try? ResourcePath(parsing: text),
            let key = DocumentKey(path.appending("mark"))
        else { return false }
        return SendingRules.refusal(of: Mutation(key: key, kind: .delete)) == nil
    }

    /// Whether a text names a place below the root of the Realtime Database's tree.
    private static func isNode(_ text: String) -> Bool {
        RealtimePath(text).map { !$0.isRoot && !$0.isInfo } ?? false
    }

    /// Whether a text names a document or a collection.
    private static func isDocuments(_ text: String) -> Bool {
        guard let path = try? ResourcePath(parsing: text), !path.isEmpty else { return false }
        return (try? path.checkLimits()) != nil
    }

    // MARK: Access rules

    /// The access rules; `nil` if there are none.
    ///
    /// A rule that cannot be read denies everything, and so does a file. An empty rule takes back the rule
    /// of the same name in an earlier layer.
    ///
    /// - Parameter unread: The files that could not be read, which may have rules.
    mutating func readAccess(
        unread: [String], _ names: AccessRuleReader.Names = SystemNames.forRules
    ) -> AccessPolicy? {
        var rules = unread.map(AccessPolicy.unreadable)
        for (name, (value, place)) in accessRules.sorted(by: { $0.key < $1.key }) {
            let complaint: String
            if case .text(let text) = value {
                if text.isEmpty { continue }
                do throws(AccessRuleReader.Failure) {
                    rules.append(try AccessRuleReader.read(text, name: name, names: names))
                    continue
                } catch {
                    complaint = "\(error)"
                }
            } else {
                complaint = "it must be a text, not \(value)"
            }
            rules.append(AccessPolicy.unreadable(name))
            add(
                "The access rule \"\(name)\" cannot be read: \(complaint).", at: place,
                consequence: "Until it is mended, only root and the daemon's own user may do "
                    + "anything.")
        }
        return rules.isEmpty ? nil : AccessPolicy(rules: rules)
    }
}

extension ConfigurationLayer.Value: CustomStringConvertible {
    package var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .texts(let texts): "[\(texts.map { "\"\($0)\"" }.joined(separator: ", "))]"
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .other(let kind): kind
        }
    }
}
