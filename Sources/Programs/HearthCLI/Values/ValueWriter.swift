import Hearth

/// Prints a value on one line; `ValueReader` reads back an equal value.
struct ValueWriter {
    /// The spelling of values that JSON lacks.
    enum Style {
        /// As on a command line: `timestamp(...)`.
        case text
        /// As in JSON: `{"$timestamp": "..."}`.
        case json
    }

    private let style: Style
    private(set) var text = ""

    private init(_ style: Style) {
        self.style = style
    }

    /// A value in one of the styles.
    static func write(_ value: ValueLiteral, as style: Style) -> String {
        var writer = ValueWriter(style)
        writer.write(value)
        return writer.text
    }

    /// Text in quotes, with escapes for what could disturb a terminal.
    static func quote(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case let order where TerminalText.isOrder(order):
                result += TerminalText.escape(order)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private var comma: String { style == .json ? "," : ", " }
    private var colon: String { style == .json ? ":" : ": " }

    private mutating func write(_ value: ValueLiteral) {
        switch value {
        case .null: text += "null"
        case .boolean(let flag): text += flag ? "true" : "false"
        case .integer(let number): text += String(number)
        case .double(let number): write(number)
        case .timestamp(let time): writeTag("timestamp", raw: time.description)
        case .string(let string): text += Self.quote(string)
        case .bytes(let bytes): writeTag("bytes", raw: Base64.encode(bytes))
        case .reference(let path): writeReference(path)
        case .geoPoint(let point):
            writeTag("geo", [.double(point.latitude), .double(point.longitude)])
        case .vector(let numbers): writeTag("vector", numbers.map(ValueLiteral.double))
        case .array(let elements): write(elements, "[", "]")
        case .map(let fields): write(fields)
        case .order(let order): write(order)
        }
    }

    private mutating func write(_ number: Double) {
        if number.isFinite {
            text += number.description
            return
        }
        let word = number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
        text += style == .json ? "{\"$double\":\"\(word)\"}" : word
    }

    private mutating func write(_ elements: [ValueLiteral], _ open: String, _ close: String) {
        text += open
        for (index, element) in elements.enumerated() {
            if index > 0 { text += comma }
            write(element)
        }
        text += close
    }

    private mutating func write(_ fields: [ValueLiteral.Field]) {
        let looksLikeTag = fields.count == 1 && fields.first?.name.utf8.first == 0x24
        if looksLikeTag { text += "{\"$map\"\(colon)" }
        text += "{"
        for (index, field) in fields.enumerated() {
            if index > 0 { text += comma }
            text += Self.quote(field.name) + colon
            write(field.value)
        }
        text += looksLikeTag ? "}}" : "}"
    }

    private mutating func writeTag(_ name: String, raw: String) {
        text += style == .json ? "{\"$\(name)\":\"\(raw)\"}" : "\(name)(\(raw))"
    }

    private mutating func writeReference(_ path: String) {
        let quoted = Self.quote(path)
        let isPlain =
            quoted.utf8.count == path.utf8.count + 2 && !path.utf8.contains(UInt8(ascii: ")"))
            && PathText.isTrimmed(path)
        switch style {
        case .json: text += "{\"$ref\":\(quoted)}"
        case .text: text += "ref(\(isPlain ? path : quoted))"
        }
    }

    private mutating func writeTag(_ name: String, _ elements: [ValueLiteral]) {
        text += style == .json ? "{\"$\(name)\":" : name
        write(elements, style == .json ? "[" : "(", style == .json ? "]" : ")")
        if style == .json { text += "}" }
    }

    private mutating func write(_ order: ValueLiteral.Order) {
        switch order {
        case .delete: writeOrder("delete", style == .json ? .boolean(true) : nil)
        case .serverTimestamp:
            writeOrder("serverTimestamp", style == .json ? .boolean(true) : nil)
        case .increment(let operand): writeOrder("increment", operand.value)
        case .maximum(let operand): writeOrder("maximum", operand.value)
        case .minimum(let operand): writeOrder("minimum", operand.value)
        case .arrayUnion(let elements): writeTag("arrayUnion", elements)
        case .arrayRemove(let elements): writeTag("arrayRemove", elements)
        }
    }

    private mutating func writeOrder(_ name: String, _ operand: ValueLiteral?) {
        text += style == .json ? "{\"$\(name)\":" : "\(name)("
        if let operand { write(operand) }
        text += style == .json ? "}" : ")"
    }
}

extension ValueLiteral.Operand {
    /// The number as a value.
    var value: ValueLiteral {
        switch self {
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        }
    }
}
