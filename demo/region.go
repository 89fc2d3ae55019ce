package demo

import "math/rand/v2"

// region is a part of the country with a language, and what things are called there.
type region struct {
	language   string // as customers and checklists have it
	share      int    // of a hundred customers
	towns      []town
	streets    []string
	women, men []string
	families   []string
	trades     []string // before a family's name: Bakkerij Peeters
	fancy      []string // a company's name of its own
	clubs      []string // before a place: Harmonie Aalst
	country    string
	heirs      string // Peeters & Zonen
}

// town is a place with its postal code.
type town struct{ postalCode, city string }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// regionFor draws a region by how many customers live there.
func regionFor(r *rand.Rand) *region {
	at := r.IntN(100)
	for i := range regions {
		if at -= regions[i].share; at < 0 {
			return &regions[i]
		}
	}
	return &regions[0]
}

var regions = []region{flanders, wallonia, brussels, eastBelgium}

var flanders = region{
	language: "dutch", share: 58, country: "België", heirs: " & Zonen",
	towns: []town{
		{"1500", "Halle"}, {"1700", "Dilbeek"}, {"1800", "Vilvoorde"}, {"1930", "Zaventem"}, {"2000", "Antwerpen"}, {"2018", "Antwerpen"},
		{"2060", "Antwerpen"}, {"2100", "Deurne"}, {"2140", "Borgerhout"}, {"2170", "Merksem"}, {"2200", "Herentals"}, {"2300", "Turnhout"},
		{"2400", "Mol"}, {"2440", "Geel"}, {"2500", "Lier"}, {"2570", "Duffel"}, {"2600", "Berchem"}, {"2610", "Wilrijk"}, {"2640", "Mortsel"},
		{"2650", "Edegem"}, {"2800", "Mechelen"}, {"2850", "Boom"}, {"2900", "Schoten"}, {"2950", "Kapellen"}, {"3000", "Leuven"},
		{"3001", "Heverlee"}, {"3200", "Aarschot"}, {"3290", "Diest"}, {"3300", "Tienen"}, {"3500", "Hasselt"}, {"3600", "Genk"},
		{"3700", "Tongeren"}, {"3800", "Sint-Truiden"}, {"3920", "Lommel"}, {"3960", "Bree"}, {"8000", "Brugge"}, {"8300", "Knokke-Heist"},
		{"8370", "Blankenberge"}, {"8400", "Oostende"}, {"8500", "Kortrijk"}, {"8600", "Diksmuide"}, {"8630", "Veurne"}, {"8700", "Tielt"},
		{"8790", "Waregem"}, {"8800", "Roeselare"}, {"8870", "Izegem"}, {"8900", "Ieper"}, {"8930", "Menen"}, {"9000", "Gent"},
		{"9040", "Sint-Amandsberg"}, {"9050", "Gentbrugge"}, {"9100", "Sint-Niklaas"}, {"9120", "Beveren"}, {"9160", "Lokeren"},
		{"9200", "Dendermonde"}, {"9230", "Wetteren"}, {"9300", "Aalst"}, {"9400", "Ninove"}, {"9500", "Geraardsbergen"}, {"9600", "Ronse"},
		{"9700", "Oudenaarde"}, {"9800", "Deinze"}, {"9900", "Eeklo"},
	},
	streets: []string{
		"Kerkstraat", "Stationsstraat", "Nieuwstraat", "Molenstraat", "Schoolstraat", "Dorpsstraat", "Veldstraat", "Kapelstraat",
		"Hoogstraat", "Leuvensesteenweg", "Gentsesteenweg", "Lindelaan", "Kasteelstraat", "Beukenlaan", "Marktplein", "Grote Markt",
		"Bosstraat", "Vaartstraat", "Brugstraat", "Eikenlaan", "Zandstraat", "Kloosterstraat", "Industrieweg", "Meersstraat", "Processieweg",
	},
	women: []string{
		"Emma", "Louise", "Elise", "Marie", "Anna", "Lotte", "Sofie", "Katrien", "Ann", "Els", "Hilde", "Griet", "Inge", "Lien", "Eline",
		"Nele", "Sarah", "Julie", "Veerle", "Kristien", "Mieke", "Martine", "Karin", "Zoë", "Noor", "Fatima", "Greet", "Lieve", "Ilse", "Tine",
	},
	men: []string{
		"Jan", "Peter", "Luc", "Marc", "Dirk", "Koen", "Wim", "Bart", "Tom", "Kevin", "Stijn", "Pieter", "Arthur", "Noah", "Liam", "Jef",
		"Joris", "Filip", "Kristof", "Geert", "Johan", "Patrick", "Mohamed", "Yusuf", "Guy", "Rik", "Bram", "Wout", "Sander", "Michiel",
	},
	families: []string{
		"Peeters", "Janssens", "Maes", "Jacobs", "Mertens", "Willems", "Claes", "Goossens", "Wouters", "De Smet", "Vermeulen", "Pauwels",
		"Hermans", "Aerts", "Michiels", "Van den Broeck", "De Clercq", "Claeys", "Desmet", "Verhaeghe", "Van Damme", "De Backer", "Coppens",
		"Vandenberghe", "Lemmens", "Smets", "Verstraete", "Van de Velde", "De Cock", "Segers", "Bogaerts", "Thijs", "Wuyts", "Nys", "Yilmaz",
		"El Amrani", "Vercammen", "Baert", "Declercq", "Van Acker", "Cools", "Martens", "Vanhoutte", "Lambrecht", "Moens",
	},
	trades: []string{
		"Bakkerij", "Slagerij", "Garage", "Bouwwerken", "Schrijnwerkerij", "Apotheek", "Tuinen", "Drukkerij", "Transport", "Kapsalon",
		"Loodgieterij", "Elektro", "Schilderwerken", "Immo", "Dakwerken", "Brouwerij", "Fietsen", "Optiek", "Dierenarts", "Praktijk",
	},
	fancy: []string{
		"De Gouden Leeuw", "Het Anker", "Noordzicht", "Blauwe Vogel", "Scheldezicht", "Nova Consult", "Datahuis", "Groenhof", "De Molen",
		"Stadslab", "Vlasland", "Zuiderpoort", "Kadans", "Letterhuis", "Hof ter Linden", "Polderwind",
	},
	clubs: []string{"Harmonie", "Voetbalclub", "Turnkring", "Davidsfonds", "Toneelkring", "Oudercomité", "Natuurpunt", "Zwemclub", "Koor"},
}

var wallonia = region{
	language: "french", share: 27, country: "Belgique", heirs: " & Fils",
	towns: []town{
		{"1300", "Wavre"}, {"1340", "Ottignies"}, {"1348", "Louvain-la-Neuve"}, {"1400", "Nivelles"}, {"1410", "Waterloo"},
		{"1420", "Braine-l'Alleud"}, {"4000", "Liège"}, {"4020", "Liège"}, {"4040", "Herstal"}, {"4100", "Seraing"}, {"4500", "Huy"},
		{"4600", "Visé"}, {"4800", "Verviers"}, {"4900", "Spa"}, {"5000", "Namur"}, {"5030", "Gembloux"}, {"5100", "Jambes"},
		{"5300", "Andenne"}, {"5500", "Dinant"}, {"5600", "Philippeville"}, {"6000", "Charleroi"}, {"6040", "Jumet"}, {"6200", "Châtelet"},
		{"6600", "Bastogne"}, {"6700", "Arlon"}, {"6800", "Libramont-Chevigny"}, {"6900", "Marche-en-Famenne"}, {"7000", "Mons"},
		{"7100", "La Louvière"}, {"7130", "Binche"}, {"7500", "Tournai"}, {"7700", "Mouscron"}, {"7800", "Ath"}, {"7860", "Lessines"},
	},
	streets:  frenchStreets,
	women:    frenchWomen,
	men:      frenchMen,
	families: frenchFamilies,
	trades:   frenchTrades,
	fancy:    []string{"La Petite Meuse", "Ardenne Bois", "Le Vieux Moulin", "Sambre Logistique", "Horizon Vert", "Atelier du Pont", "Nova Conseil", "Les Trois Clés", "Clair de Lune", "Hesbaye Agri"},
	clubs:    []string{"Harmonie", "Football Club", "Cercle de gymnastique", "Chorale", "Comité de quartier", "Maison des jeunes", "Amis du patrimoine", "Club de natation"},
}

var brussels = region{
	language: "french", share: 13, country: "Belgique", heirs: " & Associés",
	towns: []town{
		{"1000", "Bruxelles"}, {"1020", "Laeken"}, {"1030", "Schaerbeek"}, {"1040", "Etterbeek"}, {"1050", "Ixelles"}, {"1060", "Saint-Gilles"},
		{"1070", "Anderlecht"}, {"1080", "Molenbeek-Saint-Jean"}, {"1090", "Jette"}, {"1140", "Evere"}, {"1150", "Woluwe-Saint-Pierre"},
		{"1160", "Auderghem"}, {"1170", "Watermael-Boitsfort"}, {"1180", "Uccle"}, {"1190", "Forest"}, {"1200", "Woluwe-Saint-Lambert"},
		{"1210", "Saint-Josse-ten-Noode"},
	},
	streets:  append([]string{"Chaussée de Wavre", "Avenue Louise", "Chaussée d'Ixelles", "Rue de la Loi", "Boulevard Anspach"}, frenchStreets...),
	women:    append([]string{"Aïcha", "Nadia", "Sofia", "Yasmine"}, frenchWomen...),
	men:      append([]string{"Karim", "Mehdi", "Mohamed", "Ilyas"}, frenchMen...),
	families: append([]string{"Benali", "El Idrissi", "Nguyen", "Kabongo", "Da Silva", "Rossi"}, frenchFamilies...),
	trades:   append([]string{"Snack", "Restaurant", "Galerie", "Cabinet"}, frenchTrades...),
	fancy:    []string{"Midi Digital", "Brussels Partners", "Canal Studio", "Place Flagey", "Europa Advisory", "Sablon Antiquités", "Marolles Café", "Heysel Events"},
	clubs:    []string{"Comité de quartier", "Ciné-club", "Maison de la culture", "Club d'échecs", "Ateliers créatifs"},
}

var eastBelgium = region{
	language: "german", share: 2, country: "Belgien", heirs: " & Söhne",
	towns: []town{
		{"4700", "Eupen"}, {"4701", "Kettenis"}, {"4710", "Lontzen"}, {"4720", "Kelmis"}, {"4730", "Raeren"}, {"4750", "Bütgenbach"},
		{"4760", "Büllingen"}, {"4770", "Amel"}, {"4780", "Sankt Vith"}, {"4790", "Burg-Reuland"},
	},
	streets:  []string{"Hauptstraße", "Kirchstraße", "Schulstraße", "Bahnhofstraße", "Aachener Straße", "Klosterstraße", "Bergstraße", "Mühlenweg", "Gartenweg", "Marktplatz"},
	women:    []string{"Anna", "Lena", "Sabine", "Monika", "Petra", "Julia", "Katharina", "Ursula", "Heike", "Lea"},
	men:      []string{"Thomas", "Michael", "Andreas", "Stefan", "Jürgen", "Karl-Heinz", "Lukas", "Markus", "Felix", "Guido"},
	families: []string{"Schmitz", "Müller", "Heinen", "Jost", "Keller", "Schröder", "Thielen", "Lambertz", "Kohnen", "Hilgers", "Reinertz", "Meyer"},
	trades:   []string{"Bäckerei", "Metzgerei", "Autohaus", "Schreinerei", "Bauunternehmen", "Gärtnerei", "Elektro", "Gasthof"},
	fancy:    []string{"Hohes Venn Touristik", "Eifelholz", "Grenzland Medien", "Ostbelgien Energie"},
	clubs:    []string{"Musikverein", "Turnverein", "Schützenverein", "Kirchenchor", "Theaterverein"},
}

var frenchStreets = []string{
	"Rue de l'Église", "Rue de la Station", "Rue Haute", "Rue du Moulin", "Grand-Rue", "Rue de la Gare", "Place Communale",
	"Rue des Écoles", "Avenue Reine Astrid", "Rue du Centre", "Rue de Bruxelles", "Rue des Champs", "Rue Neuve", "Avenue des Tilleuls",
	"Boulevard du Roi Albert", "Rue Saint-Roch", "Chaussée de Namur", "Rue du Commerce", "Quai de Meuse", "Rue de l'Industrie",
}

var frenchWomen = []string{
	"Camille", "Léa", "Chloé", "Manon", "Louise", "Élodie", "Céline", "Nathalie", "Isabelle", "Sophie", "Martine", "Anne", "Aurélie",
	"Delphine", "Véronique", "Catherine", "Valérie", "Émilie", "Juliette", "Alice", "Inès", "Florence", "Brigitte",
}

var frenchMen = []string{
	"Louis", "Hugo", "Lucas", "Nathan", "Arthur", "Gabriel", "Jules", "Philippe", "Michel", "Olivier", "Benoît", "François", "Thierry",
	"Frédéric", "Sébastien", "Jérôme", "Christophe", "Vincent", "Maxime", "Grégory", "André", "Étienne", "Cédric",
}

var frenchFamilies = []string{
	"Dubois", "Lambert", "Dupont", "Martin", "Simon", "Laurent", "Lejeune", "Leroy", "Dumont", "François", "Renard", "Gérard", "Collard",
	"Lecomte", "Delvaux", "Henry", "Bertrand", "Noël", "Mathieu", "Thiry", "Georges", "Baudouin", "Lemaire", "Denis", "Deprez",
	"Charlier", "Gillet", "Servais", "Marchal", "Dethier", "Evrard", "Wauters", "Remacle", "Collignon", "Piette",
}

var frenchTrades = []string{
	"Boulangerie", "Boucherie", "Garage", "Entreprise", "Menuiserie", "Pharmacie", "Jardins", "Imprimerie", "Transports", "Coiffure",
	"Chauffage", "Toitures", "Immobilière", "Brasserie", "Optique", "Librairie", "Fleurs", "Traiteur",
}
