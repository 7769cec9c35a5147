import CEpoll
import CryptoExtras
import Foundation
public import GatehouseWire

/// An OpenID provider for measurements: a key that signs ID tokens, and a thread that publishes it.
public final class IdentityProvider: @unchecked Sendable {  // Written once, before the thread starts.
    public static let name = Provider("google")
    static let clientID = "bench"

    private let key: _RSA.Signing.PrivateKey
    private let descriptor: Int32
    private let port: Int

    var issuer: String { "http://127.0.0.1:\(port)" }

    public init() throws {
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw ServerProcess.Failed(description: "no port for the identity provider") }
        port = Int(UInt16(bigEndian: address.sin_port))
        let primitives = try key.publicKey.getKeyPrimitives()
        let keys =
            #"{"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"bench","n":"\#(Base64URL.encode(primitives.modulus))","#
            + #""e":"\#(Base64URL.encode(primitives.publicExponent))"}]}"#
        let answer = Array(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(keys.utf8.count)\r\nConnection: close\r\n\r\n\(keys)"
                .utf8)
        let thread = Thread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var request = [UInt8](repeating: 0, count: 4_096)
                _ = read(connection, &request, request.count)
                _ = write(connection, answer, answer.count)
                close(connection)
            }
        }
        thread.start()
    }

    public func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// An ID token for each player of these names.
    public func credentials(_ names: [String]) -> [String] {
        let now = Int(Date().timeIntervalSince1970)
        let header = Base64URL.encode(Array(#"{"alg":"RS256","typ":"JWT","kid":"bench"}"#.utf8))
        return inParallel(names.count) { [key, issuer] index in
            let claims =
                #"{"iss":"\#(issuer)","aud":"\#(Self.clientID)","sub":"\#(names[index])","iat":\#(now),"exp":\#(now + 3_600),"#
                + #""email":"\#(names[index])@example.com","email_verified":true,"name":"Player \#(names[index])"}"#
            let input = "\(header).\(Base64URL.encode(Array(claims.utf8)))"
            let signature = try? key.signature(for: Data(input.utf8), padding: .insecurePKCS1v1_5)
            let token = "\(input).\(Base64URL.encode(signature?.rawRepresentation ?? Data()))"
            return #"{"provider":"\#(Self.name)","idToken":"\#(token)"}"#
        }
    }
}
