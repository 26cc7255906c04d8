import Glibc
import Testing

/// The key of a service account that nobody knows.
enum ServiceKey {
    /// The key as the console lets people download it.
    static func json(project: String? = nil) throws -> String {
        let command = "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 2>/dev/null"
        let pipe = try #require(popen(command, "re"))
        var pem = ""
        var line = [CChar](repeating: 0, count: 256)
        while let text = fgets(&line, Int32(line.count), pipe) { pem += String(cString: text) }
        #expect(pclose(pipe) == 0)
        return """
            {"type": "service_account", "client_email": "hearth@demo.example",
             \(project.map { "\"project_id\": \"\($0)\"," } ?? "")
             "private_key": "\(pem.replacing("\n", with: "\\n"))"}
            """
    }
}
