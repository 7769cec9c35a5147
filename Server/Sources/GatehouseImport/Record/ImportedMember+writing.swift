import Crypto
package import GatehouseJSON
import GatehousePlatform
import GatehouseWire

extension ImportedMember: JSONWritable {
    /// Writes the record as one line's object. The same record has the same bytes each time, and what is absent is not written.
    package func write(to text: inout JSONBytes) {
        text.object {
            $0.member("legacyId", legacyID)
            $0.member("registrationDate", registrationDate)
            $0.member("lastLoginDate", lastLoginDate)
            $0.member("status", status.rawValue)
            $0.member("identities", identities)
            $0.member("devices", devices)
            $0.member("bans", bans)
            $0.member("withdrawal", gracePeriodDate.map(Withdrawal.init))
            $0.member("validSinceDate", validSinceDate)
            $0.member("userId", userID)
            $0.member("lost", lost.isEmpty ? nil : lost.map(\.rawValue))
            $0.member("extra", extra.map(PlainJSON.init))
        }
    }

    package var bytes: [UInt8] {
        var text = JSONBytes()
        write(to: &text)
        return text.bytes
    }

    /// The SHA-256 of what an import acts on, in 64 hexadecimal digits, to see whether two files say the same of a player.
    ///
    /// The order of lists does not matter, and a device's id counts as its hash. The last login and `extra` are left out: they change
    /// while the old system goes on, and nothing would be done about it.
    package var digest: String {
        var same = self
        same.lastLoginDate = nil
        same.extra = nil
        same.lost = Loss.allCases.filter(lost.contains)
        same.devices = devices.map { ImportedDevice($0.kind, .sha256($0.hash)) }.inOrder()
        same.identities = identities.inOrder()
        same.bans = bans.inOrder()
        return SHA256.hash(data: same.bytes).hexadecimal
    }

    private struct Withdrawal: JSONWritable {
        let date: Int64

        func write(to text: inout JSONBytes) { text.object { $0.member("gracePeriodDate", date) } }
    }
}

extension Array where Element: JSONWritable {
    /// The elements in the order of their bytes.
    fileprivate func inOrder() -> [Element] {
        guard count > 1 else { return self }
        return map { element in
            var text = JSONBytes()
            element.write(to: &text)
            return (bytes: text.bytes, element: element)
        }
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.element)
    }
}

extension ImportedIdentity: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object {
            $0.member("provider", provider)
            $0.member("subject", subject)
            $0.member("kind", kind)
            $0.member("issuer", issuer)
            $0.member("namespace", namespace)
            $0.member("registrationDate", registrationDate)
        }
    }
}

extension ImportedDevice: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object {
            $0.member("kind", kind.rawValue)
            switch value {
            case .plain(let id): $0.member("value", id)
            case .sha256(let digits): $0.member("sha256", digits)
            }
        }
    }
}

extension ImportedBan: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object {
            $0.member("type", type.rawValue)
            $0.member("beginDate", beginDate)
            $0.member("endDate", endDate)
            $0.member("reason", reason)
        }
    }
}

/// A value that is written as it is, its members in their order.
package struct PlainJSON: JSONWritable {
    let value: StrictJSON.Value

    package init(_ value: StrictJSON.Value) {
        self.value = value
    }

    package var bytes: [UInt8] {
        var text = JSONBytes()
        write(to: &text)
        return text.bytes
    }

    package func write(to text: inout JSONBytes) { Self.write(value, to: &text) }

    private static func write(_ value: StrictJSON.Value, to text: inout JSONBytes) {
        switch value {
        case .null: text.bytes += "null".utf8
        case .bool(let flag): text.write(flag)
        case .integer(let number): text.write(number)
        case .number(let number): text.bytes += number.description.utf8
        case .string(let string): text.write(string)
        case .array(let elements):
            text.bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.bytes.append(UInt8(ascii: ",")) }
                write(element, to: &text)
            }
            text.bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            text.bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.bytes.append(UInt8(ascii: ",")) }
                text.write(member.name)
                text.bytes.append(UInt8(ascii: ":"))
                write(member.value, to: &text)
            }
            text.bytes.append(UInt8(ascii: "}"))
        }
    }
}
