import Crypto
import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import SwiftASN1
import Synchronization
import Testing
import X509

/// Proofs that Game Center has signed, and the chain of their signer.
@Suite struct GameCenterTests {
    private func code(
        _ proof: GameCenterProof, in app: FakeApp, _ configuration: ProviderConfiguration? = nil
    ) async -> Int? {
        var credential = Credential(provider: .gameCenter)
        credential.gameCenter = proof
        return await app.code(credential, configuration)
    }

    /// The settings without any certificate of the operator's, so that the system's authorities count.
    private func system(_ app: FakeApp) throws -> ProviderConfiguration {
        try app.configuration(of: .gameCenter, ["trustedCertificates": .null])
    }

    @Test("IDP-11: a proof of Game Center's is accepted in its time, for the app's own bundle")
    func proofs() async throws {
        let app = try FakeApp()
        let times: [(Int64, Int?)] = [(0, nil), (599, nil), (600, 3201), (-120, nil), (-121, 3201)]
        for (secondsAgo, expected) in times {
            let proof = try app.idps.gameCenterProof(for: "alice", secondsAgo: secondsAgo)
            #expect(await code(proof, in: app) == expected, "\(secondsAgo)")
        }
        #expect(try await code(app.idps.gameCenterProof(for: "alice", bundleID: "other"), in: app) == 3201)
        #expect(try await code(app.idps.gameCenterProof(for: "alice", kind: "game"), in: app) == 3201)
    }

    @Test("IDP-11: a proof is known by its signature as long as it is good, so that no other device can use it")
    func claim() async throws {
        let app = try FakeApp()
        var credential = Credential(provider: .gameCenter)
        let proof = try app.idps.gameCenterProof(for: "alice", secondsAgo: 100)
        credential.gameCenter = proof
        let signature = try #require(Data(base64Encoded: proof.signature))
        let identity = try await app.verify(credential)
        #expect(identity.key.subject == "T:_alice")
        #expect(
            identity.claim
                == .token(hash: Array(SHA256.hash(data: signature)), until: app.now.adding(seconds: 500)))
    }

    @Test("IDP-11: nothing but Game Center's own place tells its certificate")
    func places() async throws {
        let app = try FakeApp()
        for url in [
            "http://static.gc.apple.com/public-key/gc-prod-1.cer",
            "https://static.gc.apple.com.evil.example/public-key/gc-prod-1.cer",
            "https://static.gc.apple.com@evil.example/public-key/gc-prod-1.cer",
            "https://evil.example#static.gc.apple.com/public-key/gc-prod-1.cer",
            "https://evil.example/static.gc.apple.com/public-key/gc-prod-1.cer",
            "https://static.gc.apple.com:8443/public-key/gc-prod-1.cer",
            "https://static.gc.apple.com/public-key/../evil.cer", "https://static.gc.apple.com/public-key/.cer",
            "https://static.gc.apple.com/public-key/a.cer?x=.cer",
            "https://static.gc.apple.com/public-key/a.cer#.cer",
            "https://other.apple.com/public-key/gc-prod-1.cer",
            "https://STATIC.gc.apple.com/public-key/gc-prod-1.cer",
            "https://sandbox.gc.apple.com/public-key/gc-prod-1.cer", "https://static.gc.apple.com/gc-prod-1.cer",
            // Apple numbers its certificates: no other name is looked for, of the many that a stranger could think of.
            "https://static.gc.apple.com/public-key/a.cer",
            "https://static.gc.apple.com/public-key/gc-fake-1.cer",
            "https://static.gc.apple.com/public-key/gc-prod-.cer",
            "https://static.gc.apple.com/public-key/gc-prod-12345.cer",
            "https://static.gc.apple.com/public-key/gc-prod-1a.cer",
            "https://static.gc.apple.com/public-key/gc-prod-\u{0661}.cer",
            "https://static.gc.apple.com/public-key/gc-prod-1.cer.cer",
            "https://static.gc.apple.com/public-key/GC-PROD-1.cer",
            "", "nonsense",
        ] {
            var proof = try app.idps.gameCenterProof(for: "alice")
            proof.publicKeyUrl = url
            #expect(await code(proof, in: app) == 3201, "\(url)")
        }
        #expect(app.idps.requests(to: .gameCenter) == 0)
    }

    @Test("IDP-11, IDP-13: a certificate that Game Center does not have is a refusal, and its own trouble is none")
    func unknownCertificates() async throws {
        let app = try FakeApp()
        for number in 2...6 {
            var proof = try app.idps.gameCenterProof(for: "alice")
            proof.publicKeyUrl = "https://static.gc.apple.com/public-key/gc-prod-\(number).cer"
            #expect(await code(proof, in: app) == 3201, "\(number)")
        }
        #expect(app.idps.requests(to: .gameCenter) == 5)
        app.idps.set(.down, for: .gameCenter)
        #expect(try await code(app.idps.gameCenterProof(for: "alice"), in: app) == 8002)
    }

    @Test("IDP-11: a proof with one thing changed is none")
    func tampered() async throws {
        let app = try FakeApp()
        let changes: [(inout GameCenterProof) -> Void] = [
            { $0.playerId = "T:_bob" }, { $0.playerId = "G:_alice" }, { $0.playerId = "" },
            { $0.timestamp += 1 }, { $0.timestamp = .max }, { $0.timestamp = 0 },
            { $0.salt = Data("another".utf8).base64EncodedString() }, { $0.salt = "" }, { $0.salt = "%%%" },
            { $0.signature = "" }, { $0.signature = Data(repeating: 1, count: 256).base64EncodedString() },
            { $0.kind = .game }, { $0.kind = GameCenterProof.Kind("old") },
        ]
        for (number, change) in changes.enumerated() {
            var proof = try app.idps.gameCenterProof(for: "alice")
            change(&proof)
            #expect(await code(proof, in: app) == 3201, "\(number)")
        }
    }

    @Test("IDP-10, IDP-11: certificates in the system's place are PEM with a root, and a stranger's root trusts nobody")
    func roots() async throws {
        let app = try FakeApp()
        for certificates in [[], ["nonsense"]] as [JSONValue] {
            #expect(throws: Refusal.self) {
                try app.configuration(of: .gameCenter, ["trustedCertificates": certificates])
            }
        }
        let root = JSONValue.string(try app.idps.strangersRoot())
        let stranger = try app.configuration(of: .gameCenter, ["trustedCertificates": [root]])
        #expect(try await code(app.idps.gameCenterProof(for: "alice"), in: app, stranger) == 3201)
    }

    @Test("IDP-11: without any certificate of the operator's the system's roots count, and each other is fetched once")
    func systemRoots() async throws {
        let app = try FakeApp()
        let configuration = try system(app)
        for player in ["alice", "bob", "carol"] {
            #expect(try await code(app.idps.gameCenterProof(for: player), in: app, configuration) == nil)
        }
        // The two requests are for the signer's certificate and for its authority's.
        #expect(app.idps.requests(to: .gameCenter) == 2)
    }

    /// A machine's trust store that counts how often a chain was begun.
    private struct CountingStore: CustomCertificateStore {
        final class Count: Sendable {
            private let number = Mutex(0)
            var value: Int { number.withLock { $0 } }
            func add() { number.withLock { $0 += 1 } }
        }

        let count: Count
        var roots: [Certificate]

        subscript(subject: DistinguishedName) -> [Certificate]? {
            get async { roots.filter { $0.subject == subject } }
        }

        func contains(_ certificate: Certificate) async -> Bool {
            count.add()
            return roots.contains(certificate)
        }

        mutating func append(contentsOf certificates: some Sequence<Certificate>) {
            roots.append(contentsOf: certificates)
        }

        static func == (left: Self, right: Self) -> Bool { left.roots == right.roots }
        func hash(into hasher: inout Hasher) { hasher.combine(roots) }
    }

    @Test("IDP-11: the signature is looked at first, and a known signer's chain is looked at once for each proof")
    func work() async throws {
        let count = CountingStore.Count()
        let app = try FakeApp(authorities: { idps in
            (try? Certificate(pemEncoded: idps.gameCenterRoot)).map {
                CertificateStore(custom: CountingStore(count: count, roots: [$0]))
            }
        })
        let configuration = try system(app)
        var wrong = try app.idps.gameCenterProof(for: "alice")
        wrong.signature = Data(repeating: 1, count: 256).base64EncodedString()
        #expect(await code(wrong, in: app, configuration) == 3201)
        #expect(count.value == 0)
        // The signer's certificate alone.
        #expect(app.idps.requests(to: .gameCenter) == 1)
        #expect(try await code(app.idps.gameCenterProof(for: "alice"), in: app, configuration) == nil)
        let first = count.value
        for player in ["bob", "carol"] {
            #expect(try await code(app.idps.gameCenterProof(for: player), in: app, configuration) == nil)
        }
        #expect(count.value == first + 2)
        #expect(await code(wrong, in: app, configuration) == 3201)
        #expect(count.value == first + 2)
    }

    @Test("IDP-11: without a trust store the operator is told, and no player is to blame")
    func noTrustStore() async throws {
        let app = try FakeApp(authorities: { _ in nil })
        // The certificates of the operator's own need no store.
        #expect(try await code(app.idps.gameCenterProof(for: "alice"), in: app) == nil)
        let configuration = try system(app)
        #expect(try await code(app.idps.gameCenterProof(for: "alice"), in: app, configuration) == 3202)
        let words = "this system has no trust store: install ca-certificates"
        #expect(app.journal.text.contains(words))
        let findings = try await app.findings(.gameCenter, configuration)
        #expect(findings.map(\.isFine) == [false])
        #expect(findings.first?.text == words)
    }

    @Test("IDP-11: operators are told why a signer is not trusted")
    func untrusted() async throws {
        let app = try FakeApp(authorities: { _ in CertificateStore() })
        #expect(try await code(app.idps.gameCenterProof(for: "alice"), in: app, system(app)) == 3201)
        for words in ["certificate is not trusted", "static.gc.apple.com", "Fake Code Signing CA"] {
            #expect(app.journal.text.contains(words), "\(words)")
        }
    }

    @Test("IDP-11: a signer that is not Apple's, not for signing, or over lets nobody in, though its root is trusted")
    func signers() async throws {
        let app = try FakeApp()
        let cases: [(String, FakeCertificates, Int?)] = [
            ("good", try app.idps.gameCenterCertificates(), nil),
            ("not Apple's", try app.idps.gameCenterCertificates(organization: "Apple Inc"), 3201),
            ("not for signing", try app.idps.gameCenterCertificates(isForSigning: false), 3201),
            ("over", try app.idps.gameCenterCertificates(endsAfterSeconds: -1), 3201),
        ]
        for (name, certificates, expected) in cases {
            let root = JSONValue.string(certificates.root)
            let configuration = try app.configuration(of: .gameCenter, ["trustedCertificates": [root]])
            app.idps.setGameCenterCertificates(certificates)
            // A cached certificate is kept for a day.
            app.clock.advance(seconds: 86_401)
            let found = try await code(app.idps.gameCenterProof(for: "alice"), in: app, configuration)
            #expect(found == expected, "\(name)")
        }
    }

    @Test("IDP-11: a chain that is broken or led elsewhere lets nobody in")
    func chains() async throws {
        let app = try FakeApp()
        let configuration = try system(app)
        let good = try #require(app.idps.gameCenterCertificates)
        var foreignIssuer = good
        foreignIssuer.issuer = try app.idps.gameCenterCertificates().issuer
        var nonsense = good
        nonsense.issuer = Data("nonsense".utf8)
        var large = good
        large.issuer = good.issuer + Data(repeating: 0, count: 20_000)
        // The certificate names the same authority, but its chain leads to no trusted one.
        let stranger = try app.idps.gameCenterCertificates()
        let cases: [(String, FakeCertificates?, Int?)] = [
            ("another's root", stranger, 3201), ("another's authority", foreignIssuer, 3201),
            ("no certificate", nonsense, 8002), ("too large", large, 8002),
            ("good", nil, nil),
        ]
        for (name, certificates, expected) in cases {
            app.idps.setGameCenterCertificates(certificates)
            // A cached certificate is kept for a day.
            app.clock.advance(seconds: 86_401)
            let found = try await code(app.idps.gameCenterProof(for: "alice"), in: app, configuration)
            #expect(found == expected, "\(name)")
        }
    }

    @Test("IDP-11: an issuer's certificate is fetched from the named hosts alone, and by https")
    func issuerPlaces() async throws {
        let ca = "DigiCertTrustedG4CodeSigningRSA4096SHA3842021CA1.crt"
        #expect(
            GameCenterChain.issuerURL("http://cacerts.digicert.com/\(ca)") == "https://cacerts.digicert.com/\(ca)")
        #expect(GameCenterChain.issuerURL("https://certs.apple.com/wwdrg6.der") == "https://certs.apple.com/wwdrg6.der")
        let wrong = [
            "http://169.254.169.254/latest", "http://localhost/a.crt", "http://cacerts.digicert.com.evil.example/a.crt",
            "http://cacerts.digicert.com@evil.example/a.crt", "http://cacerts.digicert.com:8080/a.crt",
            "http://cacerts.digicert.com/../a.crt", "http://cacerts.digicert.com/a/../../b.crt",
            "http://cacerts.digicert.com/a.crt?x=y", "http://cacerts.digicert.com/a.crt#x",
            "http://cacerts.digicert.com/", "http://cacerts.digicert.com", "ldap://cacerts.digicert.com/a.crt",
            "HTTP://cacerts.digicert.com/a.crt", "file:///etc/passwd", "",
            "http://cacerts.digicert.com/" + String(repeating: "a", count: 129),
        ]
        for url in wrong { #expect(GameCenterChain.issuerURL(url) == nil, "\(url)") }
        let app = try FakeApp()
        let configuration = try system(app)
        for url in wrong {
            app.idps.setGameCenterCertificates(try app.idps.gameCenterCertificates(issuer: url))
            app.clock.advance(seconds: 86_401)
            let before = app.idps.requests(to: .gameCenter)
            #expect(try await code(app.idps.gameCenterProof(for: "alice"), in: app, configuration) == 3201, "\(url)")
            // Only its own certificate is fetched.
            #expect(app.idps.requests(to: .gameCenter) == before + 1)
        }
    }

    @Test("IDP-11: damaged certificates are refused, whatever bytes they have")
    func damaged() async throws {
        let idps = try FakeApp().idps
        let good = try #require(idps.gameCenterCertificates).signer
        let sound = try #require(GameCenterChain.certificate(good))
        var read = 0
        for index in good.indices {
            #expect(GameCenterChain.certificate(good.prefix(index)) == nil)
            var bytes = good
            bytes[index] ^= [0x01, 0x80, 0xff][index % 3]
            guard let certificate = GameCenterChain.certificate(bytes) else { continue }
            // If it can still be parsed, it is a different certificate.
            read += 1
            _ = try? certificate.extensions.authorityInformationAccess
            _ = try? certificate.extensions.extendedKeyUsage
            #expect(certificate != sound)
        }
        #expect(read > 0)
        #expect(GameCenterChain.certificate(Data(repeating: 0x30, count: 16_384)) == nil)
        #expect(GameCenterChain.certificate(good + Data(repeating: 0, count: 16_384)) == nil)
    }
}
