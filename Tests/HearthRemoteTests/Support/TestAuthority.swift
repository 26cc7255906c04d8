import Glibc
import HearthTestSupport
import NIOSSL

/// An authority that exists only in a test, and the certificate of a server of that authority.
struct TestAuthority {
    private struct Failure: Error {
        let command: String
    }

    private let folder = TemporaryFolder()

    /// The authority's own certificate, in PEM.
    var certificatePath: String { "\(folder.path)/authority.pem" }
    /// The server's, in PEM.
    var serverCertificatePath: String { "\(folder.path)/server.pem" }
    /// The key of the server's.
    var serverKeyPath: String { "\(folder.path)/server.key" }

    /// Makes both.
    ///
    /// - Parameter name: What the server's certificate calls it.
    init(vouchingFor name: String) throws {
        let path = folder.path
        let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        try folder.write("subjectAltName=DNS:\(name)\nbasicConstraints=CA:FALSE\n", to: "names")
        for command in [
            "req -x509 \(curve) -days 2 -subj /CN=test-authority -keyout \(path)/authority.key "
                + "-out \(certificatePath)",
            "req -new \(curve) -subj /CN=test-server -keyout \(serverKeyPath) -out \(path)/wish",
            "x509 -req -in \(path)/wish -CA \(certificatePath) -CAkey \(path)/authority.key "
                + "-CAcreateserial -days 2 -extfile \(path)/names -out \(serverCertificatePath)",
        ] {
            guard let pipe = popen("openssl \(command) 2>&1", "r"), pclose(pipe) == 0 else {
                throw Failure(command: command)
            }
        }
    }

    /// What a server of HTTP needs.
    func serverContext() throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(serverCertificatePath)
        let key = try NIOSSLPrivateKey(file: serverKeyPath, format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
    }
}
