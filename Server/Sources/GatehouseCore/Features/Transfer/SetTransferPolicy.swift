import GatehouseSecurity
package import GatehouseStorage

/// Sets whether and how an app's accounts are transferred. What has no field, such as a time that is no whole number of days, is rounded as
/// the form shows it.
package struct SetTransferPolicy: SettingsAction {
    package static let about = OperatorActionAbout(
        "transfer-policy.set", role: .operator, step: .confirmed, section: "transfer", subject: .app,
        undo: SetTransferPolicy.self)
    package static let settings: [Setting<Self>] = [
        Setting("transferOn", { .onOff($0, \.isOn) }, value: { .onOff($0.isOn) }),
        ofAccounts("transferId") {
            [letters($0, \.transfer.id.alphabet), length($0, \.transfer.id)]
        } value: {
            $0.id.inWords
        },
        ofAccounts("transferPassword") {
            [letters($0, \.transfer.password.alphabet), length($0, \.transfer.password)]
        } value: {
            $0.password.inWords
        },
        ofAccounts("transferUses") {
            [.choice($0, \.uses, Uses.allCases.map { ($0, Phrase("transfer.\($0.rawValue)")) })]
        } value: {
            .phrase($0.isSingleUse ? "transfer.once" : "transfer.unlimited")
        },
        ofAccounts("transferDays") {
            [.number($0, \.days, TransferPolicy.dayRange, limit: 6)]
        } value: {
            $0.lifetimeSeconds.map { .exactly(seconds: $0) } ?? .phrase("transfer.for-ever")
        },
        ofAccounts("transferAttempts") {
            [.number($0, \.transfer.attempts, TransferPolicy.attemptRange, limit: 6)]
        } value: {
            .count($0.attempts)
        },
        ofAccounts("transferBlock") {
            [.number("\($0)Minutes", \.blockMinutes, TransferPolicy.blockMinuteRange, limit: 6)]
        } value: {
            .exactly(seconds: $0.blockSeconds)
        },
        Setting("transferKeys", { .onOff($0, \.hasKeys) }, value: { .onOff($0.hasKeys) }),
    ]

    /// A setting that has no value while there are no transfer accounts.
    private static func ofAccounts(
        _ name: String, _ inputs: (String) -> [Input<Self>],
        value: @escaping @Sendable (TransferPolicy) -> Phrase.Value
    ) -> Setting<Self> {
        Setting(name, inputs(name)) { $0.isOn ? value($0.transfer) : nil }
    }

    private static func letters(
        _ name: String, _ path: any WritableKeyPath<Self, TransferPolicy.Alphabet> & Sendable
    ) -> Input<Self> {
        .choice(
            "\(name)Letters", path,
            TransferPolicy.Alphabet.allCases.map { alphabet in
                let letters = Phrase("letters.\(alphabet.rawValue)")
                return (
                    alphabet,
                    Phrase(
                        "transfer.letters", ["letters": .phrase(letters), "count": .count(alphabet.minimumLength)])
                )
            })
    }

    /// The length of a text, whose letters are read already.
    private static func length(
        _ name: String, _ path: any WritableKeyPath<Self, TransferPolicy.Form> & Sendable
    ) -> Input<Self> {
        Input { action, _, _ in
            [
                .setting(
                    "\(name)Length", .number, value: String(action[keyPath: path].length), isRequired: true, limit: 6)
            ]
        } read: { action, values, _ in
            action[keyPath: path].length = try values.number("\(name)Length", action[keyPath: path].lengths)
        }
    }

    private enum Uses: String, CaseIterable {
        case once, unlimited
    }

    package var earlier: String?
    package let change: (@Sendable (inout App) -> Void)?
    private var isOn = false
    private var transfer = TransferPolicy()
    private var hasKeys = true

    private var uses: Uses {
        get { transfer.isSingleUse ? .once : .unlimited }
        set { transfer.isSingleUse = newValue == .once }
    }

    private var days: Int {
        get { Int((transfer.lifetimeSeconds ?? 0) / 86_400) }
        set { transfer.lifetimeSeconds = newValue == 0 ? nil : Int64(newValue) * 86_400 }
    }

    private var blockMinutes: Int {
        get { Int(transfer.blockSeconds / 60) }
        set { transfer.blockSeconds = Int64(newValue) * 60 }
    }

    package init(on target: ActionTarget) { change = nil }

    package init(change: @escaping @Sendable (inout AccountPolicy) -> Void) {
        self.change = { change(&$0.policy) }
    }

    package mutating func read(_ app: App) {
        isOn = app.policy.transfer != nil
        transfer = app.policy.transfer ?? TransferPolicy()
        hasKeys = app.policy.transferKeys
    }

    package func write(to app: inout App) {
        app.policy.transfer = isOn ? transfer : nil
        app.policy.transferKeys = hasKeys
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let old = context.app.policy
        var sentences: [Phrase] = ["setting.within"]
        switch (old.transfer != nil, isOn) {
        case (false, true): sentences.append("transfer.switch-on")
        case (true, false): sentences.append("transfer.switch-off")
        case (false, false): break
        case (true, true): sentences.append("transfer.what")
        }
        if isOn { sentences.append(transfer.strength) }
        var preview = Preview("transfer.title", sentences, undo: "setting.undo")
        preview.table = try difference(from: context.app)
        return preview
    }

    package func perform(_ work: Work) async throws -> App { try await perform(.transferPolicySet, work) }
}

extension TransferPolicy {
    /// How hard it is to guess an id with its password.
    package var strength: Phrase {
        Phrase(
            "transfer.strength",
            [
                "id": .text(id.guesses), "password": .text(password.guesses), "attempts": .count(attempts),
                "block": .exactly(seconds: blockSeconds),
            ])
    }
}

extension TransferPolicy.Form {
    fileprivate var inWords: Phrase.Value {
        .phrase(
            Phrase(
                "transfer.form",
                ["count": .count(length), "letters": .phrase(Phrase("letters.\(alphabet.rawValue)"))]))
    }

    /// How many texts there are, such as `10¹²`.
    fileprivate var guesses: String {
        // The number of texts is count^length; its decimal logarithm is what a person can compare.
        var digits = 0.0
        for _ in 0..<min(max(length, 0), Self.maximumLength) { digits += Self.decimalDigits[alphabet.count] ?? 1 }
        return "10" + String(String(Int(digits)).compactMap { $0.wholeNumberValue.map { Self.raised[$0] } })
    }

    private static let raised = Array("⁰¹²³⁴⁵⁶⁷⁸⁹")
    /// The decimal logarithms of the numbers of letters that there are.
    private static let decimalDigits = [10: 1.0, 36: 1.5563, 52: 1.7160, 62: 1.7924]
}
