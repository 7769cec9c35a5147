import GatehouseSecurity

extension ProviderTest {
    /// How fast the provider answers, and whether its clock and ours agree.
    func timing() -> [ProviderFinding] {
        var findings: [ProviderFinding] = []
        if observations.fastestSeconds > Self.slowSeconds {
            let seconds = String(Int(observations.fastestSeconds.rounded(.up)))
            findings.append(
                .wrong(
                    "speed.slow",
                    "speed: an answer takes \(seconds) seconds, and a login waits \(mostSeconds) at most",
                    ["seconds": seconds, "most": String(mostSeconds)]))
        }
        if let ahead = observations.secondsAhead {
            let values = ["seconds": String(ahead.magnitude)]
            if ahead > OpenIDVerifier.leewaySeconds {
                findings.append(
                    .wrong(
                        "clock.ahead",
                        "clock: this server's is \(ahead) seconds ahead of the provider's: fresh tokens are refused",
                        values))
            } else if ahead < -OpenIDVerifier.leewaySeconds {
                findings.append(
                    .wrong(
                        "clock.behind",
                        "clock: this server's is \(ahead.magnitude) seconds behind the provider's: fresh tokens are refused",
                        values))
            } else {
                findings.append(.fine("clock.fine", "clock: it agrees with the provider's"))
            }
        } else if observations.outage == nil {
            findings.append(.unknown("clock.unknown", "clock: the provider's answers name no time"))
        }
        return findings
    }

    private static let slowSeconds = 2.0
}
