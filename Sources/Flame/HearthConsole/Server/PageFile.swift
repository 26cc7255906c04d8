import CPage
import HearthModel
import HearthRPC

/// A file of the page, which lies in the program.
struct PageFile: Sendable {
    /// The name, without a folder.
    let name: String
    /// The content.
    let bytes: [UInt8]

    /// All files by their names.
    private static let all: [String: PageFile] = {
        var files: [String: PageFile] = [:]
        for number in 0..<hearth_page_file_count() {
            let file = hearth_page_file(number)
            let name = String(cString: file.name)
            files[name] = PageFile(
                name: name,
                bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.byte_count)))
        }
        return files
    }()

    /// The names of all files, in order.
    static var names: [String] { all.keys.sorted() }

    /// The file that a request names: `/` is `index.html`.
    static func reply(to target: HTTPTarget) -> HTTPReply {
        let name = target.segments == [""] ? "index.html" : target.segments.joined(separator: "/")
        guard let file = all[name] else { return .failure(.unknown(name)) }
        return HTTPReply(status: 200, contentType: file.contentType, body: file.bytes)
    }

    /// The type of the content, by the end of the name.
    var contentType: String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        default: "application/octet-stream"
        }
    }
}
