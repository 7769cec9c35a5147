import GatehouseWire

extension FakeRow {
    static let gameCenter = FakeRow(
        provider: .gameCenter,
        places: [FakeGameCenter.certificatePath: .certificate, FakeGameCenter.issuerPath: .issuer],
        variablePlace: { path in
            // Its hosts are asked for what a client names: a test counts that, too.
            path.hasPrefix("static.gc.apple.com/") || path.hasPrefix("sandbox.gc.apple.com/") ? .nothing : nil
        },
        login: .proof, subject: { "T:_\($0)" },
        settings: { ["kind": "gamecenter", "trustedCertificates": [.string($0.gameCenter.root)]] },
        hasClientSecret: false, hasPage: false)
}
