package import GatehouseWire

// The contract's most frequent values. Each writes what its `Codable` conformance would write.

extension Login: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("member", member)
            text.member("provider", provider.rawValue)
            text.member("session", session)
            text.member("standing", standing)
            text.member("serverDate", serverDate)
            text.member("migrated", encoded: migrated)
        }
    }
}

extension SessionRenewal: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("session", session)
            text.member("serverDate", serverDate)
        }
    }
}

extension MemberChange: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("member", member)
            text.member("standing", standing)
            text.member("serverDate", serverDate)
        }
    }
}

extension Member: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("appId", appId.rawValue)
            text.member("userId", userId.rawValue)
            text.member("status", status.rawValue)
            text.member("registrationDate", registrationDate)
            text.member("lastLoginDate", lastLoginDate)
            text.member("mappings", mappings)
            text.member("temporaryWithdrawal", temporaryWithdrawal)
            text.member("graceBan", encoded: graceBan)
        }
    }
}

extension Mapping: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("provider", provider.rawValue)
            text.member("subject", subject)
            text.member("registrationDate", registrationDate)
            text.member("revokedDate", revokedDate)
        }
    }
}

extension TemporaryWithdrawal: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { $0.member("gracePeriodDate", gracePeriodDate) }
    }
}

extension SessionTokens: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("accessToken", accessToken.secretValue)
            text.member("accessTokenExpiryDate", accessTokenExpiryDate)
            text.member("refreshToken", refreshToken?.secretValue)
            text.member("sessionExpiryDate", sessionExpiryDate)
        }
    }
}

extension Standing: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("isPlayable", isPlayable)
            text.member("reason", reason.rawValue)
            text.member("untilDate", untilDate)
            text.member("launchingStatus", Int64(launchingStatus.rawValue))
            text.member("memberStatus", memberStatus.rawValue)
            text.member("message", message)
            text.member("actions", actions.map(\.rawValue))
            text.member("revokedProviders", revokedProviders?.map(\.rawValue))
            text.member("updateURL", updateURL)
        }
    }
}
