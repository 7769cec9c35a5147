import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import SwiftASN1
import Synchronization
import TestDatabases
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct GameCenterTests {
    private func code(_ proof: GameCenterProof, in world: World, by device: TestDevice = TestDevice()) async throws
        -> Int?
    {
        var credential = Credential(provider: .gameCenter)
        credential.gameCenter = proof
        return try await world.call(Endpoints.logIn, credential, by: device).code
    }

    @Test("IDP-11: a proof of Game Center's is accepted in its time, from one device, for the app's own bundle")
    func proofs() async throws {
        try await World.open(on: .sqlite) { world in
            let good = try world.idps.gameCenterProof(for: "alice")
            let device = TestDevice()
            #expect(try await code(good, in: world, by: device) == nil)
            #expect(try await code(good, in: world, by: device) == nil)
            // Somebody who has seen the proof can't use it.
            #expect(try await code(good, in: world) == 3201)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", secondsAgo: 599), in: world) == nil)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", secondsAgo: 600), in: world) == 3201)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", secondsAgo: -121), in: world) == 3201)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", bundleID: "other"), in: world) == 3201)
            #expect(try await code(world.idps.gameCenterProof(for: "alice", kind: "game"), in: world) == 3201)
            #expect(try await world.rowCounts()[0] == 1)
            #expect(
                try await world.call(Endpoints.logIn, Credential(provider: .gameCenter), by: TestDevice()).code == 3202)
        }
    }

    @Test("IDP-11: nothing but Game Center's own place tells its certificate")
    func places() async throws {
        try await World.open(on: .sqlite) { world in
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
                var proof = try world.idps.gameCenterProof(for: "alice")
                proof.publicKeyUrl = url
                #expect(try await code(proof, in: world) == 3201, "\(url)")
            }
            #expect(world.idps.requests(to: .gameCenter) == 0)
        }
    }

    @Test("IDP-13: a certificate that Game Center does not have is a refusal, and many of them are enough")
    func unknownCertificates() async throws {
        try await World.open(on: .sqlite) { world in
            _ = try await world.run(ChangeLimits { $0.refusedProofsPerMinute = 5 })
            world.clock.advance(seconds: 2)
            for number in 2...20 {
                var proof = try world.idps.gameCenterProof(for: "alice")
                proof.publicKeyUrl = "https://static.gc.apple.com/public-key/gc-prod-\(number).cer"
                #expect(try await code(proof, in: world) == (number < 7 ? 3201 : 8001), "\(number)")
            }
            #expect(world.idps.requests(to: .gameCenter) == 5)
            // A provider's own trouble is not the player's.
            world.clock.advance(seconds: 3_600)
            world.idps.set(.down, for: .gameCenter)
            for _ in 0..<20 {
                world.clock.advance(seconds: 2)
                #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == 8002)
            }
        }
    }

    @Test("IDP-11: a proof with one thing changed is none")
    func tampered() async throws {
        try await World.open(on: .sqlite) { world in
            let changes: [@Sendable (inout GameCenterProof) -> Void] = [
                { $0.playerId = "T:_bob" }, { $0.playerId = "G:_alice" }, { $0.playerId = "" },
                { $0.timestamp += 1 }, { $0.timestamp = .max }, { $0.timestamp = 0 },
                { $0.salt = Data("another".utf8).base64EncodedString() }, { $0.salt = "" }, { $0.salt = "%%%" },
                { $0.signature = "" }, { $0.signature = Data(repeating: 1, count: 256).base64EncodedString() },
                { $0.kind = .game }, { $0.kind = GameCenterProof.Kind("old") },
            ]
            for change in changes {
                var proof = try world.idps.gameCenterProof(for: "alice")
                change(&proof)
                #expect([3, 3201].contains(try await code(proof, in: world)))
            }
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
        }
    }

    private func trustSystem(_ world: World) async throws {
        var configuration = ProviderConfiguration(kind: .gameCenter, clientIds: ["gatehouse-iosgamecenter"])
        configuration.origin = world.idps.origin
        try await world.run(SetIdentityProvider(provider: .gameCenter, configuration: configuration))
        world.clock.advance(seconds: 2)
    }

    @Test("IDP-10, IDP-11: certificates in the system's place are PEM with a root, and a stranger's root trusts nobody")
    func roots() async throws {
        try await World.open(on: .sqlite) { world in
            var configuration = ProviderConfiguration(kind: .gameCenter, clientIds: ["gatehouse-iosgamecenter"])
            for certificates in [[], ["nonsense"]] as [[String]] {
                configuration.gameCenter?.trustedCertificates = certificates
                let wrong = configuration
                await #expect(throws: Refusal.self) {
                    try await world.run(SetIdentityProvider(provider: .gameCenter, configuration: wrong))
                }
            }
            configuration.gameCenter?.trustedCertificates = [try world.idps.strangersRoot()]
            configuration.origin = world.idps.origin
            try await world.run(SetIdentityProvider(provider: .gameCenter, configuration: configuration))
            world.clock.advance(seconds: 2)
            #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == 3201)
        }
    }

    @Test(
        "IDP-11: without any certificate of the operator's the system's roots count, and the certificate in between is fetched once"
    )
    func systemRoots() async throws {
        try await World.open(on: .sqlite) { world in
            try await trustSystem(world)
            for player in ["alice", "bob", "carol"] {
                #expect(try await code(world.idps.gameCenterProof(for: player), in: world) == nil)
            }
            // The two requests are for the signer's certificate and for its authority's.
            #expect(world.idps.requests(to: .gameCenter) == 2)
        }
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
        let idps = FakeProviders(
            origin: "http://127.0.0.1:1", key: World.providerKey,
            nowSeconds: { World.Clock.start.milliseconds / 1_000 })
        let certificates = try idps.gameCenterCertificates()
        let count = CountingStore.Count()
        let store = CertificateStore(
            custom: CountingStore(count: count, roots: [try Certificate(pemEncoded: certificates.root)]))
        try await World.open(on: .sqlite, authorities: { store }) { world in
            try await trustSystem(world)
            world.idps.setGameCenterCertificates(certificates)
            var wrong = try world.idps.gameCenterProof(for: "alice")
            wrong.signature = Data(repeating: 1, count: 256).base64EncodedString()
            #expect(try await code(wrong, in: world) == 3201)
            #expect(count.value == 0)
            // The signer's certificate alone.
            #expect(world.idps.requests(to: .gameCenter) == 1)
            #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == nil)
            let first = count.value
            for player in ["bob", "carol"] {
                #expect(try await code(world.idps.gameCenterProof(for: player), in: world) == nil)
            }
            #expect(count.value == first + 2)
            #expect(try await code(wrong, in: world) == 3201)
            #expect(count.value == first + 2)
        }
    }

    @Test("IDP-11: without a trust store the operator is told, and no player is to blame")
    func noTrustStore() async throws {
        let journal = LogJournal()
        try await World.open(on: .sqlite, authorities: { nil }, journal: journal) { world in
            _ = try await world.run(ChangeLimits { $0.refusedProofsPerMinute = 2 })
            // The certificates of the operator's own need no store.
            #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == nil)
            try await trustSystem(world)
            for _ in 0..<5 {
                #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == 3202)
            }
            let words = "this system has no trust store: install ca-certificates"
            #expect(journal.lines.contains { $0.contains(words) })
            let findings = try await world.run(
                TestIdentityProvider(provider: .gameCenter, publicURL: "http://127.0.0.1:8080"))
            #expect(findings.map(\.isFine) == [false])
            #expect(findings.first?.text == words)
        }
    }

    @Test("IDP-11: why a signer is not trusted is in the log")
    func untrusted() async throws {
        let journal = LogJournal()
        try await World.open(on: .sqlite, authorities: { CertificateStore() }, journal: journal) { world in
            try await trustSystem(world)
            #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == 3201)
            let line = try #require(journal.lines.first { $0.contains("a signer's certificate is not trusted") })
            #expect(line.contains("static.gc.apple.com"))
            #expect(line.contains("Fake Code Signing CA"), "\(line)")
        }
    }

    @Test("IDP-11: of a trust store all that can be read counts, and one without a certificate is none")
    func trustStores() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String {
            let path = folder.appendingPathComponent(name).path
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return path
        }
        let absent = folder.appendingPathComponent("absent").path
        let empty = try file("empty", "")
        let broken = try file("broken", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        for paths in [[], [absent], [empty], [broken], [absent, empty, broken]] {
            #expect(SystemTrustStore.read(paths) == nil, "\(paths)")
        }
        let root = FakeProviders(
            origin: "http://127.0.0.1:1", key: World.providerKey,
            nowSeconds: { World.Clock.start.milliseconds / 1_000 }
        ).gameCenterRoot
        let odd = try file("odd", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n\(root)\n")
        let store = try #require(SystemTrustStore.read([absent, empty, odd]))
        let certificate = try Certificate(pemEncoded: root)
        var verifier = Verifier(rootCertificates: store) {
            RFC5280Policy(
                fixedExpiryValidationTime: Date(timeIntervalSince1970: Double(World.Clock.start.milliseconds) / 1_000))
        }
        let result = await verifier.validate(leaf: certificate, intermediates: CertificateStore())
        guard case .validCertificate = result else {
            Issue.record("\(result)")
            return
        }
    }

    private static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

    @Test(
        "IDP-11: the live environment trusts what the machine trusts, and nobody else",
        .enabled(if: FileManager.default.fileExists(atPath: systemBundle)))
    func liveAuthorities() async throws {
        let end = "-----END CERTIFICATE-----"
        let bundle = try String(contentsOfFile: Self.systemBundle, encoding: .utf8)
        // Every certificate must be readable, because one that is not would make the whole list empty.
        let certificates = try bundle.components(separatedBy: end).dropLast().map {
            try #require(
                GameCenterChain.certificate(pem: $0.trimmingCharacters(in: .whitespacesAndNewlines) + "\n" + end))
        }
        let now = Date(timeIntervalSince1970: Double(World.Clock.start.milliseconds) / 1_000)
        let valid = try #require(
            certificates.first { $0.notValidBefore < now && now < $0.notValidAfter && $0.subject == $0.issuer })
        let stranger = try #require(
            GameCenterChain.certificate(
                pem: FakeProviders(
                    origin: "http://127.0.0.1:1", key: try FakeSigningKey(),
                    nowSeconds: { World.Clock.start.milliseconds / 1_000 }
                ).gameCenterRoot))
        for (certificate, isTrusted) in [(valid, true), (stranger, false)] {
            var verifier = Verifier(rootCertificates: try #require(ServerEnvironment.live.authorities())) {
                RFC5280Policy(fixedExpiryValidationTime: now)
            }
            let result = await verifier.validate(leaf: certificate, intermediates: CertificateStore())
            guard case .validCertificate = result else {
                #expect(!isTrusted, "\(certificate.subject): \(result)")
                continue
            }
            #expect(isTrusted)
        }
    }

    @Test("IDP-11: a chain that is not Apple's, not for signing, over, broken or led elsewhere lets nobody in")
    func chains() async throws {
        try await World.open(on: .sqlite) { world in
            try await trustSystem(world)
            let good = try #require(world.idps.gameCenterCertificates)
            var foreignIssuer = good
            foreignIssuer.issuer = try world.idps.gameCenterCertificates().issuer
            var nonsense = good
            nonsense.issuer = Data("nonsense".utf8)
            var large = good
            large.issuer = good.issuer + Data(repeating: 0, count: 20_000)
            // The certificate names the same authority, but its chain leads to no trusted one.
            let stranger = try world.idps.gameCenterCertificates()
            let cases: [(String, FakeCertificates, [Int])] = [
                ("another's root", stranger, [3201]), ("another's authority", foreignIssuer, [3201]),
                ("no certificate", nonsense, [8002]), ("too large", large, [8002]),
                ("not Apple's", try world.idps.gameCenterCertificates(organization: "Apple Inc"), [3201]),
                ("not for signing", try world.idps.gameCenterCertificates(isForSigning: false), [3201]),
                ("over", try world.idps.gameCenterCertificates(endsAfterSeconds: -1), [3201]),
            ]
            for (name, certificates, codes) in cases {
                world.idps.setGameCenterCertificates(certificates)
                // A cached certificate is kept for a day.
                world.clock.advance(seconds: 86_401)
                let answer = try await code(world.idps.gameCenterProof(for: "alice"), in: world)
                #expect(codes.contains(answer ?? 0), "\(name): \(answer ?? 0)")
            }
            world.idps.setGameCenterCertificates(nil)
            world.clock.advance(seconds: 86_401)
            #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == nil)
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
        try await World.open(on: .sqlite) { world in
            try await trustSystem(world)
            for url in wrong {
                world.idps.setGameCenterCertificates(try world.idps.gameCenterCertificates(issuer: url))
                world.clock.advance(seconds: 86_401)
                let before = world.idps.requests(to: .gameCenter)
                #expect(try await code(world.idps.gameCenterProof(for: "alice"), in: world) == 3201, "\(url)")
                // Only its own certificate is fetched.
                #expect(world.idps.requests(to: .gameCenter) == before + 1)
            }
        }
    }

    @Test("IDP-11: damaged certificates are refused, whatever bytes they have")
    func damaged() async throws {
        let idps = FakeProviders(
            origin: "http://127.0.0.1:1", key: try FakeSigningKey(),
            nowSeconds: { World.Clock.start.milliseconds / 1_000 })
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
