import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire

extension Target {
    /// The header with information about the device.
    static let client = Target(name: "client", maximumLength: 1_024) { input in
        let text = String(decoding: input, as: UTF8.self)
        guard let client = ClientInformation(headerValue: text) else {
            return try Broken.unless(text.utf8.count > ClientInformation.maximumLength, "a short header is refused")
        }
        for value in [client.osCode, client.deviceModel, client.language, client.clientVersion] {
            try Broken.unless(
                (value?.count ?? 0) <= 64 && value?.utf8.contains(0) != true, "a value that can't be kept")
        }
        guard let written = client.headerValue else { return }
        try Broken.unless(written.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "what is written is no header")
        // Percent-encoding makes it longer, and a value that becomes too long is refused.
        guard let again = ClientInformation(headerValue: written) else { return }
        try Broken.unless(again == client, "another value after writing and reading")
    }

    /// `Accept-Language`.
    static let languages = Target(name: "languages", maximumLength: 1_024) { input in
        let tags = AcceptedLanguages.parse(String(decoding: input, as: UTF8.self))
        try Broken.unless(tags.count <= 8, "more languages than anybody reads")
        for tag in tags {
            let isTag = tag.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) || $0 == 0x2d
            }
            try Broken.unless(isTag && (2...35).contains(tag.utf8.count), "\(tag.debugDescription) is no tag")
        }
    }

    /// `X-Forwarded-For`, and the networks of the settings.
    static let address = Target(name: "address", maximumLength: 512) { input in
        let text = String(decoding: input, as: UTF8.self)
        if let address = ClientAddress(text) {
            try Broken.unless(address.bytes.count == 4 || address.bytes.count == 16, "an address of no kind")
            try Broken.unless(
                ClientAddress(address.description) == address, "another address after writing and reading")
        }
        guard let peer = ClientAddress("10.0.0.1"), let networks = Networks(["10.0.0.0/8", "fd00::/9"]) else { return }
        _ = networks.client(peer: peer, forwardedFor: [text])
        try Broken.unless(
            Networks.none.client(peer: peer, forwardedFor: [text]) == peer, "nobody's word is taken for an address")
        if let others = Networks(text.split(separator: ",").map(String.init)) { _ = others.contains(peer) }
    }

    /// Forms, and the queries of browsers and providers.
    static let form = Target(name: "form", maximumLength: 16_384) { input in
        guard let members = Form.parse(String(decoding: input, as: UTF8.self)) else { return }
        try Broken.unless(Form.parse(Form.text(members)) == members, "another value after writing and reading")
    }

    /// The dates of Gamebase's Server API: `yyyy-MM-dd'T'HH:mm:ss.SSSXXX` or milliseconds.
    static let date = Target(name: "date", maximumLength: 128) { input in
        guard let moment = ServerAPIDate.parse(String(decoding: input, as: UTF8.self)) else { return }
        // The written date has whole seconds and a year of four digits. Foundation interprets days before 1582-10-15 by the Julian
        // calendar, but no member is that old.
        let seconds = (Double(moment.milliseconds) / 1_000).rounded(.down)
        guard (-12_219_292_800..<253_402_300_800).contains(seconds) else { return }
        let text = ServerAPIDate.text(moment.milliseconds)
        guard let again = ServerAPIDate.parse(text) else { throw Broken("\(text) is written and not read") }
        try Broken.unless(Double(again.milliseconds) / 1_000 == seconds, "\(text) is another second when it is read")
    }
}
