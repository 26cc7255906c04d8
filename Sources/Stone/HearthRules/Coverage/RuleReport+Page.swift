import HearthModel

extension RuleReport {
    /// The report as a page of HTML that needs nothing else.
    ///
    /// The page shows the source, with each expression in the colour of its outcome, and shows an
    /// expression's values when a reader points at the expression.
    package var page: String {
        var body = ""
        let bytes = Array(source.utf8)
        var offset = 0
        for root in roots { Self.write(root, bytes, &offset, to: &body) }
        body += Self.escaped(bytes[offset...])
        return Self.page(title: fileName, body: body)
    }

    /// The page of a project without rules.
    package static var pageWithoutRules: String {
        page(title: "no rules", body: "This project has no rules: everybody may do everything.\n")
    }

    private static func page(title: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <title>Rule coverage: \(escaped(Array(title.utf8)[...]))</title>
        <style>
        body { font: 14px/1.5 sans-serif; margin: 2em; color: #222; background: #fff }
        pre { font: 13px/1.6 monospace; counter-reset: line; tab-size: 4 }
        span.true { background: #c8efc8 } span.false { background: #ffe3b3 }
        span.both { background: #d6e9ff } span.value { background: #e8f6e8 }
        span.failed { background: #ffc9c9 } span.never { background: #e4e4e4; color: #777 }
        span:hover { outline: 1px solid #888 }
        </style></head><body>
        <h1>Rule coverage: \(escaped(Array(title.utf8)[...]))</h1>
        <p><span class="true">always true</span> <span class="false">always false</span>
        <span class="both">true and false</span> <span class="value">another value</span>
        <span class="failed">failed only</span> <span class="never">never evaluated</span>.
        Point at an expression for its values.</p>
        <pre>\(body)</pre>
        </body></html>

        """
    }

    /// Writes the source up to the end of a node, from where the last one ended.
    private static func write(
        _ node: Node, _ bytes: [UInt8], _ offset: inout Int, to text: inout String
    ) {
        text += escaped(bytes[offset..<node.range.start])
        offset = node.range.start
        let told = node.values.isEmpty ? ["never evaluated"] : node.values.map(line)
        let title = escaped(Array(told.joined(separator: "\n").utf8)[...])
        text += "<span class=\"\(tone(of: node))\" title=\"\(title)\">"
        for child in node.children.sorted(by: { $0.range.start < $1.range.start }) {
            write(child, bytes, &offset, to: &text)
        }
        text += escaped(bytes[offset..<node.range.end]) + "</span>"
        offset = node.range.end
    }

    private static func line(_ value: Value) -> String {
        guard let members = value.json.members, let first = members.first else {
            return "\(value.count) x not evaluated"
        }
        let text: String
        if let cause = first.value["causeMessage"]?.string {
            text = "failed: \(cause)"
        } else {
            text = String(decoding: JSONWriter.bytes(of: first.value), as: UTF8.self)
        }
        return "\(value.count) x \(text.prefix(200))"
    }

    private static func tone(of node: Node) -> String {
        let values = node.values.compactMap { $0.json.members?.first }
        let flags = values.map { $0.name == "boolValue" ? $0.value.boolean : nil }
        if values.isEmpty { return "never" }
        if values.allSatisfy({ $0.name == "undefined" }) { return "failed" }
        switch (flags.contains(true), flags.contains(false)) {
        case (true, true): return "both"
        case (true, false): return "true"
        case (false, true): return "false"
        case (false, false): return "value"
        }
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "&"): result += Array("&amp;".utf8)
            case UInt8(ascii: "<"): result += Array("&lt;".utf8)
            case UInt8(ascii: ">"): result += Array("&gt;".utf8)
            case UInt8(ascii: "\""): result += Array("&quot;".utf8)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
