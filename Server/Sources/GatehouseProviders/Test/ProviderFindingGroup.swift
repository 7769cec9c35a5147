import GatehousePlatform

/// The findings of a test that have one cause, and so one thing to do about them.
package struct ProviderFindingGroup: Sendable, Hashable {
    /// The part of the settings or of the provider that it is about, such as `client`; ``unreachable`` for calls that got no answer.
    package let cause: String
    package fileprivate(set) var findings: [ProviderFinding]

    package static let unreachable = "unreachable"

    /// The worst of its findings.
    package var verdict: ProviderFinding.Verdict {
        isWrong ? .wrong : findings.contains { $0.verdict == .unknown } ? .unknown : .fine
    }

    package var isWrong: Bool { findings.contains(where: \.isWrong) }
}

extension [ProviderFinding] {
    /// The findings by cause: what is wrong comes first, then what is fine, and at last what can't be known.
    package var byCause: [ProviderFindingGroup] {
        var groups: [ProviderFindingGroup] = []
        for finding in self {
            let index = groups.firstIndex { group in
                group.cause == finding.cause && group.findings.first?.failure == finding.failure
            }
            if let index {
                groups[index].findings.append(finding)
            } else {
                groups.append(ProviderFindingGroup(cause: finding.cause, findings: [finding]))
            }
        }
        return [ProviderFinding.Verdict.wrong, .fine, .unknown].flatMap { verdict in
            groups.filter { $0.verdict == verdict }
        }
    }
}

extension ProviderFinding {
    /// Why a call failed; nil for one that was answered. Calls that failed for the same reason are one finding to an operator.
    fileprivate var failure: String? { code.utf8.suffix(7).elementsEqual(".failed".utf8) ? values["why"] ?? "" : nil }

    fileprivate var cause: String {
        failure == nil ? code.firstPart(at: ".") : ProviderFindingGroup.unreachable
    }
}
